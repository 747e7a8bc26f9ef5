// assay-hold-gpu-memory LEAVE_MIB SECONDS: takes a GPU's memory but for LEAVE_MIB, says so in one
// line, and gives it back when standard input ends or after SECONDS.
//
// What another process would do to a load. Exit 0; 2 bad arguments; 77 without a GPU.
#include <cuda_runtime.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLargest = 1024 * kMiB;  // of one allocation

std::size_t free_bytes() {
  std::size_t available = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

// Bytes taken, in ever smaller pieces as the rest gets smaller.
std::size_t take_all_but(std::size_t leave) {
  std::size_t taken = 0;
  for (std::size_t piece = kLargest; piece >= 2 * kMiB;) {
    void* memory = nullptr;
    if (free_bytes() >= leave + piece && cudaMalloc(&memory, piece) == cudaSuccess) {
      taken += piece;
    } else {
      cudaGetLastError();
      piece /= 2;
    }
  }
  return taken;
}

// Until standard input ends, or so long.
void wait(int seconds) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  char dropped[256];
  while (poll(&input, 1, seconds * 1000) > 0) {
    if (read(STDIN_FILENO, dropped, sizeof dropped) <= 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long leave = argc == 3 ? std::atol(argv[1]) : 0;
  const int seconds = argc == 3 ? std::atoi(argv[2]) : 0;
  if (leave <= 0 || seconds <= 0 || seconds > 3600) {
    std::fprintf(stderr, "usage: assay-hold-gpu-memory LEAVE_MIB SECONDS\n");
    return 2;
  }
  if (free_bytes() == 0) {
    std::fprintf(stderr, "assay-hold-gpu-memory: no GPU here\n");
    return 77;
  }
  const std::size_t taken = take_all_but(static_cast<std::size_t>(leave) * kMiB);
  std::printf("holding %zu MiB, %zu MiB are free\n", taken / kMiB, free_bytes() / kMiB);
  std::fflush(stdout);
  wait(seconds);
  return 0;
}
