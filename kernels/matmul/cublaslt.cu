// How kernels/matmul/cublaslt.h is done: the functions by dlsym, the plans in a map.
//
// cuBLASLt thinks in columns: row-major W (n, k) is a column-major (k, n) matrix, to be transposed;
// x (rows, k) is (k, rows), and y (rows, n) is (n, rows) = W^T' x.
#include "kernels/matmul/cublaslt.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "engine/core/error.h"
#include "kernels/cuda_check.cuh"

namespace assay {
namespace {

constexpr int kPlannedRows = 512;
constexpr std::size_t kWorkspace = std::size_t{32} << 20;  // that an algorithm may ask for
constexpr std::uint32_t kAlignment = 16;                   // of operands, bytes
constexpr int kCandidates = 64;
// Rows at which an algorithm must be usable.
constexpr std::array kCheckedRows = {64, 128, 512, 3328, 8192};

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::kEnvironment, "cuBLASLt: " + what);
}

struct Functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtGetStatusName) status_name;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulAlgoCheck) algorithm_check;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) algorithm_get;
  decltype(&cublasLtMatmul) matmul;
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) fail(std::string("the library lacks ") + name);
}

// The library, or null where none can be loaded or the environment hides it.
void* find_library() {
  const char* wish = std::getenv("ASSAY_CUBLASLT");
  if (wish != nullptr && std::string_view(wish) == "off") return nullptr;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

Functions find_functions(void* library) {
  Functions f{};
  find(library, "cublasLtCreate", f.create);
  find(library, "cublasLtDestroy", f.destroy);
  find(library, "cublasLtGetVersion", f.version);
  find(library, "cublasLtGetStatusName", f.status_name);
  find(library, "cublasLtMatmulDescCreate", f.operation_create);
  find(library, "cublasLtMatmulDescDestroy", f.operation_destroy);
  find(library, "cublasLtMatmulDescSetAttribute", f.operation_set);
  find(library, "cublasLtMatrixLayoutCreate", f.layout_create);
  find(library, "cublasLtMatrixLayoutDestroy", f.layout_destroy);
  find(library, "cublasLtMatmulPreferenceCreate", f.preference_create);
  find(library, "cublasLtMatmulPreferenceDestroy", f.preference_destroy);
  find(library, "cublasLtMatmulPreferenceSetAttribute", f.preference_set);
  find(library, "cublasLtMatmulAlgoGetHeuristic", f.heuristic);
  find(library, "cublasLtMatmulAlgoCheck", f.algorithm_check);
  find(library, "cublasLtMatmulAlgoConfigGetAttribute", f.algorithm_get);
  find(library, "cublasLtMatmul", f.matmul);
  return f;
}

void check(const Functions& f, cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(what + ": " + f.status_name(status));
}

// The fault of an earlier kernel, which the library reports as a failure of its own; success where
// there was none.
cudaError_t context_status() {
  std::size_t available = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&available, &total);
}

// A column-major matrix's layout, released at the end.
class Layout {
 public:
  Layout(const Functions& f, cudaDataType type, int rows, int columns) : f_(f) {
    check(f,
          f.layout_create(&layout_, type, static_cast<std::uint64_t>(rows),
                          static_cast<std::uint64_t>(columns), rows),
          "a matrix layout");
  }
  ~Layout() { f_.layout_destroy(layout_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  const Functions& f_;
  cublasLtMatrixLayout_t layout_ = nullptr;
};

// The three layouts of one GEMM.
struct Layouts {
  Layout weights;
  Layout x;
  Layout y;
  Layouts(const Functions& f, int rows, int n, int k)
      : weights(f, CUDA_R_16F, k, n), x(f, CUDA_R_16F, k, rows), y(f, CUDA_R_32F, n, rows) {}
};

struct Plan {
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace;
};

}  // namespace

struct CublasLt::State {
  void* library = nullptr;
  Functions f{};
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  std::map<std::pair<int, int>, Plan> plans;

  ~State() {
    if (preference != nullptr) f.preference_destroy(preference);
    if (operation != nullptr) f.operation_destroy(operation);
    if (handle != nullptr) f.destroy(handle);
    if (library != nullptr) dlclose(library);
  }
  void start();
  const Plan& plan(int n, int k);
  bool usable(const cublasLtMatmulHeuristicResult_t& result, int n, int k) const;
  template <typename Value>
  Value attribute(const cublasLtMatmulAlgo_t& algorithm,
                  cublasLtMatmulAlgoConfigAttributes_t which) const;
};

void CublasLt::State::start() {
  f = find_functions(library);
  check(f, f.create(&handle), "a handle");
  check(f, f.operation_create(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "a matmul descriptor");
  const cublasOperation_t transposed = CUBLAS_OP_T;
  check(f, f.operation_set(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
        "the transposition of the weights");
  check(f, f.preference_create(&preference), "a preference");
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    check(f, f.preference_set(preference, which, &value, sizeof value), "a preference's attribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspace});
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_NONE));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kAlignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kAlignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, kAlignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kAlignment);
}

template <typename Value>
Value CublasLt::State::attribute(const cublasLtMatmulAlgo_t& algorithm,
                                 cublasLtMatmulAlgoConfigAttributes_t which) const {
  Value value{};
  std::size_t written = 0;
  check(f, f.algorithm_get(&algorithm, which, &value, sizeof value, &written),
        "an algorithm's attribute");
  return value;
}

bool CublasLt::State::usable(const cublasLtMatmulHeuristicResult_t& result, int n, int k) const {
  if (result.state != CUBLAS_STATUS_SUCCESS) return false;
  if (attribute<std::int32_t>(result.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM) != 1) return false;
  if (attribute<std::uint32_t>(result.algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME) !=
      CUBLASLT_REDUCTION_SCHEME_NONE) {
    return false;
  }
  for (const int rows : kCheckedRows) {
    const Layouts layouts(f, rows, n, k);
    cublasLtMatmulHeuristicResult_t checked{};
    const cublasStatus_t status =
        f.algorithm_check(handle, operation, layouts.weights.get(), layouts.x.get(),
                          layouts.y.get(), layouts.y.get(), &result.algo, &checked);
    if (status != CUBLAS_STATUS_SUCCESS || checked.workspaceSize > kWorkspace) return false;
  }
  return true;
}

const Plan& CublasLt::State::plan(int n, int k) {
  const auto known = plans.find({n, k});
  if (known != plans.end()) return known->second;
  const std::string shape = "n=" + std::to_string(n) + " k=" + std::to_string(k);
  const Layouts layouts(f, kPlannedRows, n, k);
  std::array<cublasLtMatmulHeuristicResult_t, kCandidates> results{};
  int found = 0;
  check(f,
        f.heuristic(handle, operation, layouts.weights.get(), layouts.x.get(), layouts.y.get(),
                    layouts.y.get(), preference, kCandidates, results.data(), &found),
        "an algorithm for " + shape);
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results[static_cast<std::size_t>(i)];
    if (!usable(result, n, k)) continue;
    return plans.emplace(std::pair(n, k), Plan{result.algo, result.workspaceSize}).first->second;
  }
  fail("none of " + std::to_string(found) + " algorithms for " + shape +
       " leaves the sum over K whole");
}

std::unique_ptr<CublasLt> CublasLt::open() {
  auto state = std::make_unique<State>();
  state->library = find_library();
  if (state->library == nullptr) return nullptr;
  state->start();
  return std::unique_ptr<CublasLt>(new CublasLt(std::move(state)));
}

bool CublasLt::there() {
  void* library = find_library();
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

void refuse_without_cublaslt(const std::string& op) {
  throw Error(ErrorKind::kEnvironment,
              op + ".cuda.cublaslt: no libcublasLt could be loaded; install it, or let " + op +
                  ".cuda.mma[tile=128] serve");
}

CublasLt::CublasLt(std::unique_ptr<State> state) : state_(std::move(state)) {}
CublasLt::~CublasLt() = default;

void CublasLt::prepare(int n, int k) {
  state_->plan(n, k);
}

void CublasLt::multiply(const CublasGemm& gemm) {
  const Functions& f = state_->f;
  const Plan& plan = state_->plan(gemm.n, gemm.k);
  const Layouts layouts(f, gemm.rows, gemm.n, gemm.k);
  const float one = 1.0f;
  const float zero = 0.0f;
  const cublasStatus_t status = f.matmul(
      state_->handle, state_->operation, &one, gemm.weights, layouts.weights.get(), gemm.x,
      layouts.x.get(), &zero, gemm.y, layouts.y.get(), gemm.y, layouts.y.get(), &plan.algorithm,
      gemm.workspace, gemm.workspace_bytes, static_cast<cudaStream_t>(gemm.stream));
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string what = "cuBLASLt: n=" + std::to_string(gemm.n) +
                           " k=" + std::to_string(gemm.k) + " rows=" + std::to_string(gemm.rows);
  cuda::check(context_status(), what);
  throw Error(ErrorKind::kInternal, what + ": " + f.status_name(status));
}

std::string CublasLt::describe() const {
  std::string text = "cuBLASLt " + std::to_string(state_->f.version()) + "\n";
  for (const auto& [shape, plan] : state_->plans) {
    text += "n=" + std::to_string(shape.first) + " k=" + std::to_string(shape.second);
    const auto add = [&](const char* name, auto value) {
      text += std::string(" ") + name + "=" + std::to_string(value);
    };
    const auto number = [&]<typename Value>(cublasLtMatmulAlgoConfigAttributes_t which, Value) {
      return state_->attribute<Value>(plan.algorithm, which);
    };
    add("algorithm", number(CUBLASLT_ALGO_CONFIG_ID, std::int32_t{}));
    add("tile", number(CUBLASLT_ALGO_CONFIG_TILE_ID, std::uint32_t{}));
    add("stages", number(CUBLASLT_ALGO_CONFIG_STAGES_ID, std::uint32_t{}));
    add("splits", number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, std::int32_t{}));
    add("reduction", number(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, std::uint32_t{}));
    add("swizzle", number(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, std::uint32_t{}));
    add("option", number(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, std::uint32_t{}));
    add("inner", number(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, std::uint16_t{}));
    add("cluster", number(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, std::uint16_t{}));
    add("workspace", plan.workspace);
    text += "\n";
  }
  return text;
}

}  // namespace assay
