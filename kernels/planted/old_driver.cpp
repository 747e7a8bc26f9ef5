// A libcuda.so.1 as of CUDA 12.2: what a program meets on a machine whose driver is older than the
// CUDA that it was built with. The runtime asks for the version and goes no further.
extern "C" {

int cuInit(unsigned) {
  return 0;  // CUDA_SUCCESS
}

int cuDriverGetVersion(int* version) {
  *version = 12020;
  return 0;
}

}  // extern "C"
