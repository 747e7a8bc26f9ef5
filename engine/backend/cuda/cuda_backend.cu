#include "engine/backend/cuda/cuda_backend.h"

#include <algorithm>
#include <map>
#include <vector>

#include "engine/backend/cuda/clock_span.cuh"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/cuda_here.h"
#include "engine/backend/cuda/cuda_inspection.h"
#include "engine/backend/cuda/device_memory.cuh"
#include "engine/backend/cuda/device_weights.cuh"
#include "engine/backend/pass_checks.h"
#include "engine/core/error.h"
#include "kernels/matmul/cublaslt.h"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

using cuda::check;

void add_counts(LaunchCounts& sum, const LaunchCounts& more, std::uint64_t times = 1) {
  if (times == 0) return;
  for (const auto& [id, count] : more) sum[id] += count * times;
}

class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }
  void wait(const char* what) const { check(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

// One captured decode step, and the launches that each replay makes. Replays are counted as such:
// adding up names at each step would cost more than its launch.
struct StepGraph {
  cudaGraphExec_t exec = nullptr;
  LaunchCounts counts;
  std::uint64_t replays = 0;
};

class CudaBackend : public Backend, public CudaInspection {
 public:
  CudaBackend(const Model& model, const Graph& graph, const ServiceSelection& service,
              const CudaBackendOptions& options, int capability,
              std::atomic<std::uint64_t>& progress)
      : model_(model),
        options_(options),
        max_rows_(cuda_rows(options.context)),
        limits_{.name = "cuda backend",
                .max_rows = max_rows_,
                .context = options.context,
                .vocab = model.hyper.vocab},
        service_(service, ops_of(graph), options.context, std::min(max_rows_, options.context),
                 cuda_here(capability)),
        progress_(progress),
        weights_(graph, service_, options.source, stream_.get(), progress),
        memory_(model, options.context, max_rows_),
        workspace_bytes_(cuda_workspace_bytes(largest_matrix(graph))),
        workspace_(workspace_bytes_, "workspace"),
        prefill_(bind(graph.prefill)),
        decode_(bind(graph.decode)),
        output_(bind(graph.output)),
        host_step_(1),
        host_result_(1),
        host_logits_(static_cast<std::size_t>(model.hyper.vocab)),
        place_(memory_.place()) {
    prepare_blas();
    if (options_.graphs) capture_all();
  }

  ~CudaBackend() override {
    for (auto& [key, graph] : graphs_) cudaGraphExecDestroy(graph.exec);
  }

  int context() const override { return options_.context; }
  int max_rows() const override { return std::min(max_rows_, kCudaMaxChunk); }
  int threads() const override { return 1; }

  void prefill(std::span<const std::int32_t> tokens, int first) override {
    check_pass(limits_, tokens, first);
    check(cudaMemcpyAsync(place_.tokens, tokens.data(), tokens.size_bytes(), cudaMemcpyHostToDevice,
                          stream_.get()),
          "copy of tokens to the device");
    last_first_ = first;
    last_t_ = static_cast<int>(tokens.size());
    run_eagerly(prefill_, {.t = last_t_,
                           .first = first,
                           .source_row = 0,
                           .problem = prefill_problem({.first = first, .t = last_t_})});
    stepped_ = false;
  }

  void decode(std::int32_t token, int position) override {
    check_pass(limits_, {&token, 1}, position);
    fetch_result();  // an unread step may not have taken host_step_ yet
    last_first_ = position;
    last_t_ = 1;
    *host_step_.data() = {.position = position, .token = token};
    check(cudaMemcpyAsync(memory_.step(), host_step_.data(), sizeof(DeviceStep),
                          cudaMemcpyHostToDevice, stream_.get()),
          "copy of a step to the device");
    if (options_.graphs) {
      StepGraph& graph = graphs_.at(rows_key(position));
      check(cudaGraphLaunch(graph.exec, stream_.get()), "launch of a captured step");
      ++graph.replays;
      progress_.fetch_add(decode_.size() + output_.size(), std::memory_order_relaxed);
    } else {
      add_counts(counts_, counted([&] { run_step(position); }));
    }
    fetched_ = false;
    stepped_ = true;
  }

  RowReading read_row(int row, const Draw* draw) override {
    check_row(limits_, row, last_t_);
    if (!stepped_) {  // a decode step has run the output list with the rest
      run_eagerly(output_, {.t = 1,
                            .first = last_first_ + row,
                            .source_row = row,
                            .problem = decode_problem(last_first_ + row)});
      digest_row();
    }
    if (draw != nullptr) {
      draw_on_device(memory_.row(), *draw, stream_.get());
      fetched_ = false;
    }
    fetch_result();
    RowReading reading = host_result_.data()->row;
    check_top(limits_, reading.top);
    if (draw == nullptr) reading.drawn = -1;  // it holds an earlier one
    if (!has_device_digest(limits_.vocab)) {
      reading.digest = digest_of_row(logits());
      reading.nonfinite = count_nonfinite(logits());
    }
    return reading;
  }

  std::span<const float> logits() override {
    const auto count = static_cast<std::size_t>(model_.hyper.vocab);
    check(
        cudaMemcpyAsync(host_logits_.data(), place_.slots[static_cast<std::size_t>(Slot::kLogits)],
                        count * sizeof(float), cudaMemcpyDeviceToHost, stream_.get()),
        "copy of logits from the device");
    stream_.wait("a copy of logits");
    return {host_logits_.data(), count};
  }

  void begin_span() override { span_.begin(stream_.get()); }
  DeviceSpan end_span() override { return span_.end(stream_.get()); }

  std::uint64_t nonfinite() override {
    fetch_result();
    return host_result_.data()->nonfinite;
  }

  LaunchCounts launches() const override {
    LaunchCounts sum = counts_;
    for (const auto& [key, graph] : graphs_) add_counts(sum, graph.counts, graph.replays);
    return sum;
  }

  void read_cache(int positions, const TakeHalves& take) override {
    stream_.wait("a pass");
    std::vector<std::uint16_t> layer(static_cast<std::size_t>(positions * place_.position_stride));
    for (const std::uint16_t* cache : {place_.k_cache, place_.v_cache}) {
      for (int i = 0; i < model_.hyper.layers; ++i) {
        check(cudaMemcpy(layer.data(), cache + i * place_.layer_stride,
                         layer.size() * sizeof(std::uint16_t), cudaMemcpyDeviceToHost),
              "copy of the cache from the device");
        take(layer);
      }
    }
  }

  void poison() override {
    memory_.poison(stream_.get());
    workspace_.poison(stream_.get());
    stream_.wait("poisoning");
  }

 private:
  struct BoundOp {
    GraphOp op;
    const ServedOp* served;
    std::vector<CudaLaunchFunction> launches;  // of the row with the same index
    OpWeights weights;
  };

  std::vector<BoundOp> bind(const std::vector<GraphOp>& ops) const {
    std::vector<BoundOp> bound;
    for (const GraphOp& op : ops) {
      BoundOp next{.op = op, .served = &service_.at(op.op)};
      for (const VariantInfo* info : next.served->infos) {
        next.launches.push_back(find_cuda_variant(info->id)->launch);
      }
      if (op.weight != nullptr && op.weight->there()) next.weights.weight = weights_.at(*op.weight);
      for (std::size_t i = 0; i < op.biases.size(); ++i) {
        if (op.biases[i] == nullptr) continue;
        next.weights.biases[i] = static_cast<const float*>(weights_.at(*op.biases[i]).data);
      }
      bound.push_back(std::move(next));
    }
    return bound;
  }

  // The vendor's plans are made here: a launcher may not allocate.
  void prepare_blas() {
    for (const BoundOp& bound : prefill_) {
      for (const VariantInfo* info : bound.served->infos) {
        if (parse_variant_id(info->id)->mechanism != "cublaslt") continue;
        if (!blas_) blas_ = CublasLt::open();
        if (!blas_) refuse_without_cublaslt(bound.op.op);
        blas_->prepare(bound.op.n, bound.op.k);
      }
    }
  }

  // What the launchers counted while `launch` ran.
  template <typename Launch>
  static LaunchCounts counted(const Launch& launch) {
    const LaunchCounts before = counted_by(cuda_registry());
    launch();
    return launches_since(before, counted_by(cuda_registry()));
  }

  // Launches a prefill pass, or a row's logits.
  void run_eagerly(const std::vector<BoundOp>& ops, const Pass& pass) {
    add_counts(counts_, counted([&] { run(ops, pass, nullptr); }));
    fetched_ = false;
  }

  // Launches a list; `position` is where kernels find the position of a decode step, or null.
  void run(const std::vector<BoundOp>& ops, const Pass& pass, const std::int32_t* position) {
    PassMemory memory = place_;
    if (position != nullptr) memory.tokens = &memory_.step()->token;
    for (const BoundOp& bound : ops) {
      const CudaLaunchFunction function = bound.launches[bound.served->select(pass.problem)];
      with_arguments(model_.hyper, memory, bound.op, bound.weights, pass, [&](const void* args) {
        CudaLaunch launch = launch_for(position);
        function(args, launch);
      });
      progress_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  CudaLaunch launch_for(const std::int32_t* position) const {
    return {.stream = stream_.get(),
            .position = position,
            .context = options_.context,
            .workspace = workspace_.data(),
            .workspace_bytes = workspace_bytes_,
            .blas = blas_.get()};
  }

  // Decode and output list of one step, its position read from the device.
  void run_step(int position) {
    const Pass pass{
        .t = 1, .first = position, .source_row = 0, .problem = decode_problem(position)};
    run(decode_, pass, &memory_.step()->position);
    run(output_, pass, &memory_.step()->position);
    digest_row();
  }

  void digest_row() const {
    if (has_device_digest(limits_.vocab)) digest_on_device(memory_.row(), stream_.get());
  }

  // Brings over what the device has found, once after each piece of work, and waits for it.
  void fetch_result() {
    if (fetched_) return;
    check(cudaMemcpyAsync(host_result_.data(), memory_.result(), sizeof(DeviceResult),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "copy of a result from the device");
    stream_.wait("a pass");
    fetched_ = true;
  }

  // Which rows the map selects at a position: the identity of its graph.
  std::vector<std::size_t> rows_key(int position) const {
    const Problem problem = decode_problem(position);
    std::vector<std::size_t> key;
    for (const auto* list : {&decode_, &output_}) {
      for (const BoundOp& bound : *list) {
        if (bound.served->rows.size() > 1) key.push_back(bound.served->select(problem));
      }
    }
    return key;
  }

  void capture_all() {
    std::vector<int> starts{0};
    for (const auto* list : {&decode_, &output_}) {
      for (const BoundOp& bound : *list) {
        for (const ServiceRow& row : bound.served->rows) {
          if (row.key == "nkv" && row.low <= options_.context) starts.push_back(row.low - 1);
        }
      }
    }
    for (const int position : starts) {
      const std::vector<std::size_t> key = rows_key(position);
      if (!graphs_.contains(key)) graphs_.emplace(key, capture(position));
    }
  }

  StepGraph capture(int position) {
    StepGraph step;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal),
          "begin of a capture");
    try {
      step.counts = counted([&] { run_step(position); });
    } catch (...) {  // memory cannot be freed while a capture is open
      cudaStreamEndCapture(stream_.get(), &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream_.get(), &graph), "end of a capture");
    const cudaError_t status = cudaGraphInstantiate(&step.exec, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "instantiation of a captured step");
    return step;
  }

  const Model& model_;
  CudaBackendOptions options_;
  int max_rows_;
  PassLimits limits_;
  ServiceTable service_;
  std::atomic<std::uint64_t>& progress_;
  Stream stream_;
  DeviceWeights weights_;
  DeviceMemory memory_;
  std::size_t workspace_bytes_;
  DeviceArray<std::byte> workspace_;
  std::unique_ptr<CublasLt> blas_;
  std::vector<BoundOp> prefill_, decode_, output_;
  PinnedArray<DeviceStep> host_step_;
  PinnedArray<DeviceResult> host_result_;
  PinnedArray<float> host_logits_;
  PassMemory place_;
  ClockSpan span_;
  std::map<std::vector<std::size_t>, StepGraph> graphs_;
  LaunchCounts counts_;
  bool stepped_ = false;  // the last pass was a decode step
  bool fetched_ = false;  // host_result_ is of the last pass
  int last_first_ = 0;
  int last_t_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Model& model, const Graph& graph,
                                           const ServiceSelection& service,
                                           const CudaBackendOptions& options,
                                           std::atomic<std::uint64_t>& progress) {
  const CudaDevice device = cuda_device_here();
  if (device.capability == 0) {
    throw Error(ErrorKind::kEnvironment, "load: backend 'cuda': " + device.why);
  }
  check_device_memory(plan_cuda_memory(model, graph, options.context));
  return std::make_unique<CudaBackend>(model, graph, service, options, device.capability, progress);
}

}  // namespace assay
