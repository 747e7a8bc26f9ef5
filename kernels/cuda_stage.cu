#include "kernels/cuda_stage.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_graph_kernels.cuh"
#include "kernels/matmul/cublaslt.h"
#include "kernels/operands.h"

namespace assay {
namespace {

using cuda::check;

constexpr std::size_t kGuard = 512;  // bytes of canary before and behind
constexpr int kCanary = 0xff;        // NaN, whatever the type

// One operand on the device, between canaries.
struct Staged {
  void* base = nullptr;
  std::byte* host = nullptr;  // where an output goes; null for an input
  std::size_t bytes = 0;
  std::size_t room = 0;
  std::vector<std::byte> input;  // what an input held, to see that it was left alone
  std::byte* data() const { return static_cast<std::byte*>(base) + kGuard; }
};

DType dtype_of(std::string_view op) {
  const std::string_view suffix = op.substr(op.find('_') + 1);
  for (const DTypeTraits& traits : all_dtypes()) {
    if (traits.suffix == suffix) return traits.dtype;
  }
  throw Error(ErrorKind::kInternal, std::string(op) + " has no weight type in its name");
}

}  // namespace

struct CudaStage::State {
  explicit State(const CudaVariant& chosen) : variant(chosen) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaMalloc(&position, sizeof(std::int32_t)), "cudaMalloc of a position");
    if (parse_variant_id(chosen.info->id)->mechanism == "cublaslt") blas = CublasLt::open();
  }
  ~State() {
    release();
    cudaFree(position);
    cudaFree(workspace);
    cudaStreamDestroy(stream);
  }

  void release() {
    for (Staged& operand : operands) cudaFree(operand.base);
    operands.clear();
    by_host.clear();
  }

  // Visitor of visit_operands: replaces host pointers by device ones.
  template <typename T>
  void in(T*& pointer, std::size_t bytes) {
    stage(pointer, bytes, bytes, false);
  }
  template <typename T>
  void out(T*& pointer, std::size_t bytes) {
    stage(pointer, bytes, bytes, true);
  }
  template <typename T>
  void padded_in(T*& pointer, std::size_t bytes, std::size_t room) {
    stage(pointer, bytes, room, false);
  }
  template <typename T>
  void padded_out(T*& pointer, std::size_t bytes, std::size_t room) {
    stage(pointer, bytes, room, true);
  }
  void weights(const void*& pointer, std::size_t bytes) {
    if (layout != WeightLayout::kPlanes || plane_fields_of(dtype).empty()) {
      return stage(pointer, bytes, bytes, false);
    }
    planes.resize(bytes);
    to_planes(
        dtype, static_cast<const std::byte*>(pointer),
        static_cast<std::int64_t>(bytes / static_cast<std::size_t>(traits(dtype).block_bytes)),
        planes.data());
    pointer = planes.data();
    stage(pointer, bytes, bytes, false);
  }

  template <typename T>
  void stage(T*& pointer, std::size_t bytes, std::size_t room, bool output) {
    if (pointer == nullptr || bytes == 0) return;
    auto* host = reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(pointer));
    const auto known = by_host.find(host);
    if (known != by_host.end()) {  // an operand that is worked on in place
      Staged& same = operands[known->second];
      if (output) same.host = host;
      pointer = reinterpret_cast<T*>(same.data());
      return;
    }
    Staged operand{.bytes = bytes, .room = std::max(room, bytes)};
    check(cudaMalloc(&operand.base, operand.room + 2 * kGuard),
          "cudaMalloc of " + std::to_string(operand.room) + " bytes for an operand");
    check(cudaMemsetAsync(operand.base, kCanary, operand.room + 2 * kGuard, stream), "cudaMemset");
    check(cudaMemcpyAsync(operand.data(), host, bytes, cudaMemcpyHostToDevice, stream),
          "copy to the device");
    operand.host = output ? host : nullptr;
    operand.input.assign(host, host + bytes);
    by_host.emplace(host, operands.size());
    pointer = reinterpret_cast<T*>(operand.data());
    operands.push_back(std::move(operand));
  }

  void fetch() {
    check(cudaStreamSynchronize(stream), std::string(variant.info->id) + " on staged operands");
    intact = true;
    std::vector<std::byte> all;
    for (const Staged& operand : operands) {
      all.resize(operand.room + 2 * kGuard);
      check(cudaMemcpy(all.data(), operand.base, all.size(), cudaMemcpyDeviceToHost),
            "copy from the device");
      const auto is_canary = [](std::byte byte) { return byte == std::byte{kCanary}; };
      const std::byte* data = all.data() + kGuard;
      const std::byte* start = all.data();
      intact = intact && std::all_of(start, data, is_canary) &&
               std::all_of(data + operand.room, data + operand.room + kGuard, is_canary);
      if (operand.host != nullptr) {
        std::memcpy(operand.host, data, operand.bytes);
      } else {
        intact = intact && std::memcmp(operand.input.data(), data, operand.bytes) == 0;
      }
    }
  }

  void need_workspace(std::size_t bytes) {
    if (bytes <= workspace_bytes) return;
    cudaFree(workspace);
    workspace = nullptr;
    workspace_bytes = 0;
    check(cudaMalloc(&workspace, bytes),
          "cudaMalloc of " + std::to_string(bytes) + " bytes of workspace");
    workspace_bytes = bytes;
  }

  // What other launches left behind must not matter: the workspace is NaN before each launch.
  template <typename Args>
  void launch(Args& args, std::size_t matrix_elements, int at, int context) {
    need_workspace(cuda_workspace_bytes(matrix_elements));
    check(cudaMemsetAsync(workspace, kCanary, workspace_bytes, stream), "cudaMemset");
    check(cudaMemcpyAsync(position, &at, sizeof(at), cudaMemcpyHostToDevice, stream),
          "copy of the position");
    CudaLaunch cuda{.stream = stream,
                    .position = by_position ? position : nullptr,
                    .context = context,
                    .workspace = static_cast<std::byte*>(workspace),
                    .workspace_bytes = workspace_bytes,
                    .blas = blas.get()};
    variant.launch(&args, cuda);
    fetch();
    // After the launch: a kernel that is not loaded yet cannot be captured.
    if (capturing) {
      captured.merge(cuda::captured_kernels(stream, [&] { variant.launch(&args, cuda); }));
    }
    release();
  }

  const CudaVariant& variant;
  WeightLayout layout = WeightLayout::kRaw;
  DType dtype = DType::kF32;
  cudaStream_t stream = nullptr;
  std::int32_t* position = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  std::vector<Staged> operands;
  std::map<const std::byte*, std::size_t> by_host;
  std::vector<std::byte> planes;
  std::unique_ptr<CublasLt> blas;  // for the variants that need it
  std::set<CudaKernelUse> captured;
  bool by_position = false;
  bool capturing = false;
  bool intact = true;
};

namespace {

// Positions of the cache that a launch of these arguments touches, and the one of its row.
template <typename Args>
int first_of(const Args& args) {
  if constexpr (requires { args.nkv; }) {
    return args.nkv - 1;
  } else if constexpr (requires { args.first_position; }) {
    return args.first_position;
  } else if constexpr (requires { args.past; }) {
    return args.past;
  } else {
    return 0;
  }
}

template <typename Args>
void staged(const void* host_args, Launch& launch) {
  CudaStage::State& state = launch.stage->state();
  Args args = *static_cast<const Args*>(host_args);
  const int at = first_of(args);
  int rows = 1;
  if constexpr (requires { args.t; }) rows = args.t;
  if constexpr (requires { args.layout; }) {
    state.layout = state.variant.info->layout;
    args.layout = state.layout;
  }
  if constexpr (requires { args.dtype; }) state.dtype = args.dtype;
  visit_operands(args, state);
  state.launch(args, 0, at, at + rows);
}

template <typename Args>
void staged_linear(const void* host_args, Launch& launch) {
  CudaStage::State& state = launch.stage->state();
  Args args = *static_cast<const Args*>(host_args);
  const std::string_view id = state.variant.info->id;
  state.dtype = dtype_of(id.substr(0, id.find('.')));
  state.layout = state.variant.info->layout;
  args.layout = state.layout;
  const std::size_t row = row_bytes(state.dtype, static_cast<std::size_t>(args.k));
  visit_operands(args, row * static_cast<std::size_t>(args.n), state);
  if (state.blas) state.blas->prepare(args.n, args.k);
  state.launch(args, static_cast<std::size_t>(args.n) * static_cast<std::size_t>(args.k), 0, 1);
}

const std::map<std::string_view, LaunchFunction>& stages() {
  static const std::map<std::string_view, LaunchFunction> functions = {
      {"add", staged<AddArgs>},
      {"add_rms_norm_halve", staged<AddRmsNormHalveArgs>},
      {"add_rms_norm_quantize", staged<AddRmsNormQuantizeArgs>},
      {"argmax", staged<ArgmaxArgs>},
      {"attention_decode", staged<AttentionDecodeArgs>},
      {"attention_prefill", staged<AttentionPrefillArgs>},
      {"embed", staged<EmbedArgs>},
      {"halve_activations", staged<HalveActivationsArgs>},
      {"kv_store", staged<KvStoreArgs>},
      {"quantize_activations", staged<QuantizeActivationsArgs>},
      {"rms_norm", staged<RmsNormArgs>},
      {"rope", staged<RopeArgs>},
      {"rope_store", staged<RopeStoreArgs>},
      {"swiglu", staged<SwigluArgs>},
      {"swiglu_halve", staged<SwigluHalveArgs>},
      {"swiglu_quantize", staged<SwigluQuantizeArgs>},
  };
  return functions;
}

}  // namespace

CudaStage::CudaStage(const CudaVariant& variant) {
  std::string why;
  if (cuda_capability(&why) == 0) {
    throw Error(ErrorKind::kEnvironment, std::string(variant.info->id) + ": " + why);
  }
  state_ = std::make_unique<State>(variant);
}

CudaStage::~CudaStage() = default;

LaunchFunction CudaStage::function() const {
  const std::string_view id = state_->variant.info->id;
  const std::string_view op = id.substr(0, id.find('.'));
  if (op.starts_with("matvec_")) return staged_linear<MatvecArgs>;
  if (op.starts_with("matmul_")) return staged_linear<MatmulArgs>;
  const auto found = stages().find(op);
  if (found == stages().end()) {
    throw Error(ErrorKind::kInternal, std::string(op) + ": no stage for this op");
  }
  return found->second;
}

void CudaStage::set_position_on_device(bool on) {
  state_->by_position = on;
}

void CudaStage::set_capturing(bool on) {
  state_->capturing = on;
}

std::vector<CudaKernelUse> CudaStage::captured() const {
  return {state_->captured.begin(), state_->captured.end()};
}

bool CudaStage::canaries_intact() const {
  return state_->intact;
}

namespace {

// 13000 -> "13.0"
std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// The runtime says of a machine without any driver that its driver is too old.
std::string driver_fault() {
  int found = 0;
  int built_for = 0;
  cudaDriverGetVersion(&found);
  cudaRuntimeGetVersion(&built_for);
  const int needed = built_for / 1000 * 1000;  // a runtime runs on any driver of its major version
  if (found == 0) {
    return "no NVIDIA driver here (libcuda.so.1 cannot be loaded): this is no GPU machine, or its "
           "driver has to be installed";
  }
  return "the NVIDIA driver is too old: it offers CUDA " + cuda_version(found) +
         ", and this build needs " + cuda_version(needed) + ": install a newer driver";
}

std::string what_is_missing(cudaError_t status) {
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "no CUDA device here";
  if (status == cudaErrorInsufficientDriver) return driver_fault();
  return std::string("no CUDA device can be used: ") + cudaGetErrorString(status) + " (" +
         cudaGetErrorName(status) + ")";
}

}  // namespace

int cuda_capability(std::string* why) {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  cudaDeviceProp properties{};
  if (status == cudaSuccess && count > 0) status = cudaGetDeviceProperties(&properties, 0);
  if (status == cudaSuccess && count > 0) return properties.major * 10 + properties.minor;
  cudaGetLastError();  // it would stick to the next call
  if (why != nullptr) *why = what_is_missing(status);
  return 0;
}

}  // namespace assay
