#include "kernels/cuda_graph_kernels.cuh"

#include <cuda.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda_check.cuh"

namespace assay::cuda {
namespace {

// What is asked of the driver; the versions are those in which a function got this form.
struct Driver {
  decltype(&cuGraphKernelNodeGetParams) node = nullptr;
  decltype(&cuKernelGetFunction) function_of = nullptr;
  decltype(&cuFuncGetName) name = nullptr;
  decltype(&cuFuncGetAttribute) attribute = nullptr;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) blocks = nullptr;
};

template <typename Function>
void find(const char* name, unsigned version, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
        std::string("the driver's ") + name);
  if (found == nullptr || result != cudaDriverEntryPointSuccess) {
    throw Error(ErrorKind::kEnvironment,
                std::string("the driver lacks ") + name + "; resources need CUDA 12.3 or later");
  }
  function = reinterpret_cast<Function>(found);
}

const Driver& driver() {
  static const Driver functions = [] {
    Driver d;
    find("cuGraphKernelNodeGetParams", 12000, d.node);
    find("cuKernelGetFunction", 12000, d.function_of);
    find("cuFuncGetName", 12030, d.name);
    find("cuFuncGetAttribute", 12000, d.attribute);
    find("cuOccupancyMaxActiveBlocksPerMultiprocessor", 12000, d.blocks);
    return d;
  }();
  return functions;
}

void check_driver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  throw Error(ErrorKind::kEnvironment, std::string(call) + " failed with the driver's code " +
                                           std::to_string(static_cast<int>(status)));
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

int attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  check_driver(driver().attribute(&value, which, function), "cuFuncGetAttribute");
  return value;
}

CudaKernelUse use_of(CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS launch{};
  check_driver(driver().node(node, &launch), "cuGraphKernelNodeGetParams");
  CUfunction function = launch.func;
  if (function == nullptr) {
    check_driver(driver().function_of(&function, launch.kern), "cuKernelGetFunction");
  }
  const char* name = nullptr;
  check_driver(driver().name(&name, function), "cuFuncGetName");
  CudaKernelUse use;
  use.kernel = demangled(name);
  use.threads = static_cast<int>(launch.blockDimX * launch.blockDimY * launch.blockDimZ);
  use.registers = attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  use.local_bytes = attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  use.static_shared = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  use.dynamic_shared = static_cast<int>(launch.sharedMemBytes);
  check_driver(driver().blocks(&use.blocks_per_sm, function, use.threads, launch.sharedMemBytes),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return use;
}

void add_kernels(cudaGraph_t graph, std::set<CudaKernelUse>& uses) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeKernel) {
      uses.insert(use_of(node));
    } else if (type == cudaGraphNodeTypeGraph) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "cudaGraphChildGraphNodeGetGraph");
      add_kernels(child, uses);
    }
  }
}

struct GraphEnd {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using GraphHandle = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphEnd>;

// What was captured; ends the capture whether it went well or not.
GraphHandle end_capture(cudaStream_t stream, cudaError_t& status) {
  cudaGraph_t graph = nullptr;
  status = cudaStreamEndCapture(stream, &graph);
  return GraphHandle(graph);
}

}  // namespace

std::set<CudaKernelUse> captured_kernels(cudaStream_t stream, const std::function<void()>& launch) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaError_t status = cudaSuccess;
  try {
    launch();
  } catch (...) {
    end_capture(stream, status);
    throw;
  }
  const GraphHandle graph = end_capture(stream, status);
  check(status, "cudaStreamEndCapture");
  std::set<CudaKernelUse> uses;
  add_kernels(graph.get(), uses);
  return uses;
}

}  // namespace assay::cuda
