// How kernel_trace.h is done: CUPTI's activity records for the kernels, its callbacks for the
// launchers.
//
// A record carries the number of the call that enqueued it (an eager launch) or of its graph node
// (a replay). Both numbers are known inside the callbacks, where the watch says whose launcher is
// at work. Instantiation clones nodes, so a clone inherits from its original.
#include "engine/worker/kernel_trace.h"

#include <cuda_runtime.h>
#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engine/core/error.h"
#include "kernels/cuda_check.cuh"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;  // about 36,000 kernels
constexpr std::size_t kBufferAlignment = 8;

constexpr const char* kNames[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12"};
// Beside the loader's own places.
constexpr const char* kFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                    "/usr/local/cuda-13.0/lib64",
                                    "/usr/local/cuda-13.0/extras/CUPTI/lib64"};

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::kEnvironment, "profile: CUPTI: " + what);
}

void* open_library() {
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  std::string places;
  for (const char* folder : kFolders) {
    places += std::string(places.empty() ? "" : ", ") + folder;
    for (const char* name : kNames) {
      const std::string path = std::string(folder) + "/" + name;
      if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  fail(
      "cannot be loaded: looked for libcupti.so, libcupti.so.13 and libcupti.so.12 where the "
      "loader "
      "looks, and in " +
      places +
      "; it comes with the CUDA toolkit: put the folder that holds it into LD_LIBRARY_PATH");
}

struct Functions {
  decltype(&cuptiGetResultString) result_string;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiUnsubscribe) unsubscribe;
  decltype(&cuptiEnableCallback) enable_callback;
  decltype(&cuptiEnableDomain) enable_domain;
  decltype(&cuptiGetGraphNodeId) node_id;
  decltype(&cuptiActivityRegisterCallbacks) register_buffers;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityDisable) disable;
  decltype(&cuptiActivityFlushAll) flush;
  decltype(&cuptiActivityGetNextRecord) next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped;
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    fail(std::string("the library lacks ") + name + "; CUDA 12 or 13 has it");
}

Functions find_functions(void* library) {
  Functions f{};
  find(library, "cuptiGetResultString", f.result_string);
  find(library, "cuptiSubscribe", f.subscribe);
  find(library, "cuptiUnsubscribe", f.unsubscribe);
  find(library, "cuptiEnableCallback", f.enable_callback);
  find(library, "cuptiEnableDomain", f.enable_domain);
  find(library, "cuptiGetGraphNodeId", f.node_id);
  find(library, "cuptiActivityRegisterCallbacks", f.register_buffers);
  find(library, "cuptiActivityEnable", f.enable);
  find(library, "cuptiActivityDisable", f.disable);
  find(library, "cuptiActivityFlushAll", f.flush);
  find(library, "cuptiActivityGetNextRecord", f.next_record);
  find(library, "cuptiActivityGetNumDroppedRecords", f.dropped);
  return f;
}

std::string demangled(const char* name) {
  if (name == nullptr) return "(a kernel without a name)";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

std::vector<const std::uint64_t*> counters() {
  std::vector<const std::uint64_t*> all;
  for (const CudaVariant& variant : cuda_registry()) all.push_back(variant.launches);
  return all;
}

// A record, before it is known who enqueued it.
struct RawKernel {
  TracedKernel kernel;
  std::uint32_t correlation = 0;  // number of the call that enqueued it
  std::uint64_t node = 0;         // of a graph; 0: none
};

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void CUPTIAPI complete_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t size, std::size_t used);
void CUPTIAPI on_call(void* state, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const void* data);

}  // namespace

struct KernelTrace::State {
  State() : f(find_functions(open_library())), watch(counters()) {}
  ~State();

  void check(CUptiResult status, const char* what) const {
    if (status == CUPTI_SUCCESS) return;
    const char* text = nullptr;
    f.result_string(status, &text);
    fail(std::string(what) + " failed: " + (text == nullptr ? "unknown" : text));
  }
  void attach();
  void listen(bool on);
  void keep(const CUpti_ActivityKernel10& record);
  void see_node(CUpti_CallbackId id, const CUpti_GraphData& graph);

  Functions f;
  CUpti_SubscriberHandle subscriber = nullptr;
  bool tracing = false;
  const std::thread::id owner = std::this_thread::get_id();
  // Of the owner's thread.
  LaunchWatch watch;
  std::unordered_map<std::uint32_t, WatchedLaunch> by_call;
  std::unordered_map<std::uint64_t, WatchedLaunch> by_node;  // kept from load to load
  // CUPTI hands buffers over on a thread of its own.
  std::mutex mutex;
  std::vector<RawKernel> raw;
  std::unordered_map<const char*, std::string> names;  // CUPTI keeps one pointer per kernel
  std::uint64_t dropped = 0;
};

namespace {

// CUPTI's functions for buffers take no argument of ours.
KernelTrace::State* active = nullptr;

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI complete_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t, std::size_t used) {
  KernelTrace::State* state = active;
  if (state != nullptr) {
    const std::lock_guard lock(state->mutex);
    CUpti_Activity* record = nullptr;
    while (used > 0 && state->f.next_record(buffer, used, &record) == CUPTI_SUCCESS) {
      if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
          record->kind != CUPTI_ACTIVITY_KIND_KERNEL) {
        continue;
      }
      // Older versions of the record begin with the same fields, up to the node's number.
      state->keep(*reinterpret_cast<const CUpti_ActivityKernel10*>(record));
    }
    std::size_t lost = 0;
    if (state->f.dropped(context, stream, &lost) == CUPTI_SUCCESS) state->dropped += lost;
  }
  std::free(buffer);
}

void CUPTIAPI on_call(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const void* data) {
  auto* state = static_cast<KernelTrace::State*>(user);
  if (std::this_thread::get_id() != state->owner) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const auto* resource = static_cast<const CUpti_ResourceData*>(data);
    state->see_node(id, *static_cast<const CUpti_GraphData*>(resource->resourceDescriptor));
    return;
  }
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  if (call->callbackSite == CUPTI_API_ENTER) {
    state->by_call[call->correlationId] = state->watch.look();
  }
}

}  // namespace

KernelTrace::State::~State() {
  if (subscriber != nullptr) f.unsubscribe(subscriber);
  active = nullptr;
}

void KernelTrace::State::attach() {
  check(f.subscribe(&subscriber, on_call, this),
        "cuptiSubscribe (another profiler or sanitizer may be attached)");
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}) {
    check(f.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id), "cuptiEnableCallback");
  }
  active = this;
  check(f.register_buffers(request_buffer, complete_buffer), "cuptiActivityRegisterCallbacks");
}

void KernelTrace::State::listen(bool on) {
  for (const CUpti_CallbackDomain domain :
       {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API}) {
    check(f.enable_domain(on ? 1 : 0, subscriber, domain), "cuptiEnableDomain");
  }
}

void KernelTrace::State::keep(const CUpti_ActivityKernel10& record) {
  if (record.start == 0 || record.end == 0) {
    ++dropped;
    return;
  }
  const auto [name, fresh] = names.try_emplace(record.name);
  if (fresh) name->second = demangled(record.name);
  raw.push_back({.kernel = {.name = name->second,
                            .start_ns = static_cast<std::int64_t>(record.start),
                            .end_ns = static_cast<std::int64_t>(record.end),
                            .registers = record.registersPerThread,
                            .static_shared = record.staticSharedMemory,
                            .dynamic_shared = record.dynamicSharedMemory,
                            .grid = {record.gridX, record.gridY, record.gridZ},
                            .block = {record.blockX, record.blockY, record.blockZ},
                            .replay = 0,
                            .launch = {}},
                 .correlation = record.correlationId,
                 .node = record.graphNodeId});
}

void KernelTrace::State::see_node(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  std::uint64_t node = 0;
  if (f.node_id(graph.node, &node) != CUPTI_SUCCESS) return;  // shows as a kernel of no variant
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    by_node.try_emplace(node, watch.look());  // never over what a clone has inherited
    return;
  }
  std::uint64_t original = 0;
  if (f.node_id(graph.originalNode, &original) != CUPTI_SUCCESS) return;
  const auto known = by_node.find(original);
  if (known == by_node.end()) return;
  const WatchedLaunch inherited = known->second;
  by_node[node] = inherited;
}

KernelTrace::KernelTrace(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelTrace::~KernelTrace() = default;

std::unique_ptr<KernelTrace> KernelTrace::open() {
  auto state = std::make_unique<State>();
  state->attach();
  return std::unique_ptr<KernelTrace>(new KernelTrace(std::move(state)));
}

void KernelTrace::start() {
  State& s = *state_;
  if (s.tracing) stop();
  // A graph that was made under the trace goes on being recorded: those records end here.
  cuda::check(cudaDeviceSynchronize(), "start of a trace");
  s.check(s.f.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  s.watch.reset();
  s.by_call.clear();
  {
    const std::lock_guard lock(s.mutex);
    s.raw.clear();
    s.dropped = 0;
  }
  s.check(s.f.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
  s.listen(true);
  s.tracing = true;
}

KernelRecords KernelTrace::stop() {
  State& s = *state_;
  s.tracing = false;
  cuda::check(cudaDeviceSynchronize(), "end of a trace");
  s.listen(false);
  s.check(s.f.flush(0), "cuptiActivityFlushAll");
  s.check(s.f.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityDisable");
  s.check(s.f.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  KernelRecords records;
  const std::lock_guard lock(s.mutex);
  records.dropped = s.dropped;
  for (RawKernel& raw : s.raw) {
    TracedKernel& kernel = records.kernels.emplace_back(std::move(raw.kernel));
    if (raw.node != 0) {
      kernel.replay = raw.correlation;
      const auto known = s.by_node.find(raw.node);
      if (known != s.by_node.end()) kernel.launch = known->second;
    } else {
      const auto known = s.by_call.find(raw.correlation);
      if (known != s.by_call.end()) kernel.launch = known->second;
    }
  }
  s.raw.clear();
  std::sort(records.kernels.begin(), records.kernels.end(),
            [](const TracedKernel& a, const TracedKernel& b) { return a.start_ns < b.start_ns; });
  return records;
}

}  // namespace assay
