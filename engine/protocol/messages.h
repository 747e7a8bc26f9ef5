// What a runner and a worker say to each other: one JSON object per line, requests down the
// worker's standard input, replies up its standard output, in order. engine/protocol/README.md
// documents the form; another engine may stand on either side.
//
// A request is {"request": NAME, ...fields}; a reply is {"reply": NAME, ...fields} or
// {"error": {"kind": INT, "message": TEXT}} with ErrorKind's value. Large arrays travel as files in
// a folder that the request names. Nothing in a `work` request says whether it is being timed.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/selection.h"

namespace assay {

inline constexpr int kProtocolVersion = 1;

using Counts = std::map<std::string, std::uint64_t>;  // variant id -> launches

struct HelloReply {
  int protocol = kProtocolVersion;
  std::string program;  // "assay-worker"
  std::string version;
  std::string device_key;   // "cpu-avx2"
  std::string device_name;  // processor's own name
  int cores = 0;
  std::string source_root;            // of the build
  std::vector<std::string> variants;  // ids that can run here
  // The GPU; empty where there is none or the worker has no CUDA side, and `gpu_absent` says which.
  std::string gpu_key;  // "cuda-sm90"
  std::string gpu_name;
  std::string gpu_uuid;  // "GPU-...", as the driver's tools print it
  std::string gpu_absent;
};

struct LoadRequest {
  std::string model;            // a GGUF file, "embedded", or "synth:SHAPE-QUANT"
  std::string backend = "cpu";  // or "cuda"
  ServiceSelection service;
  int context = 0;       // positions of KV cache; 0: the model's own, at most 4096
  int threads = 0;       // 0: one per core
  bool graphs = true;    // CUDA: replay captured decode steps rather than launch them one by one
  bool profile = false;  // CUDA: be ready for `profile` requests
  // CUDA: where the vendor's GEMM library is absent, matmuls by our own (with_own_gemm) rather than
  // an error. Never for a judgement: the map would not be what served.
  bool own_gemm = false;
};

struct LoadReply {
  std::string name;          // general.name
  std::string architecture;  // "qwen2"
  std::string sha256;        // of the file's bytes; of the recipe for a synthetic model
  int layers = 0, embedding = 0, heads = 0, kv_heads = 0, head_dim = 0, feed_forward = 0;
  int vocab = 0, context = 0, threads = 0;
  bool has_vocabulary = false;
  int bos = -1, eos = -1;
  std::vector<std::int32_t> ends;  // tokens at which generation stops
  std::uint64_t weight_bytes = 0, kv_bytes = 0;
  bool own_gemm = false;  // the request's own_gemm was needed
};

struct TokenizeRequest {
  std::string text;
  bool special = false;  // recognise control tokens in the text
  bool enclose = false;  // with the start and end tokens that the model wants around a text
};
struct TokenizeReply {
  std::vector<std::int32_t> tokens;
};
struct DetokenizeRequest {
  std::vector<std::int32_t> tokens;
};
struct DetokenizeReply {
  std::string text_base64;  // bytes: a token may end inside a UTF-8 character
};

// A fixed amount of work. The prompt goes through the prefill path, then `steps` tokens through the
// decode path: forced ones where given, else those that are picked. A decode request whose prompt's
// cache is still in place does not compute it again.
struct WorkRequest {
  std::string phase = "decode";      // the part that `elapsed_ns` speaks of: "prefill" or "decode"
  std::vector<std::int32_t> prompt;  // at least one token
  int steps = 0;
  std::vector<std::int32_t> forced;  // empty, or `steps` tokens fed in order
  int chunk = 0;                     // rows per prefill chunk; 0: the most (512; 4,096 on a GPU)
  bool all_rows = false;  // logits (digest, margin) of every prompt row, not only the last
  bool logits = false;    // write the f32 logits rows to `dir`/logits.f32
  std::string dir;
  bool device_clock = false;  // count the timed phase by the GPU's own clocks, too
  // How tokens are picked: top-k first, then top-p, then the temperature.
  double temperature = 0;  // 0: the largest logit; at most 100
  int top_k = 0;           // 0: all
  double top_p = 1;        // above 0
  int seed = 0;
};

struct WorkReply {
  // One entry per logits row: prompt rows (all, or the last), then one per decode step.
  std::vector<std::int32_t> top;     // argmax
  std::vector<float> margins;        // top-1 minus top-2 logit
  std::vector<std::string> digests;  // XXH3-128 of the row's f32 bytes, hex
  std::vector<std::int32_t> tokens;  // the tokens that were fed in decode
  std::vector<std::int32_t> picks;   // after the prompt and after each step
  std::string digest;                // XXH3-128 over all digests and tokens
  std::int64_t elapsed_ns = 0;       // of the requested phase, worker's clock
  std::int64_t prefill_ns = 0;       // 0 when reused
  std::int64_t decode_ns = 0;
  std::int64_t device_ns = 0;      // of the requested phase, where device_clock asked; 0 on a CPU
  std::int64_t device_cycles = 0;  // of its multiprocessors' clock meanwhile
  bool prefill_reused = false;
  Counts prefill_counts, decode_counts;
  std::uint64_t nonfinite = 0;  // activations, cache values and logits that were not finite
  std::string logits_file;
};

// The launches that `work` must make, from the graph and the service map, without running it.
struct PlanReply {
  Counts prefill_counts, decode_counts;
};

// Where the time of a `work` went on a GPU, kernel by kernel; the request is a WorkRequest.
struct ProfiledKernel {  // every launch of one kernel by one variant
  std::string kernel;    // demangled
  std::string variant;   // empty: no launcher was at work when it was enqueued
  std::uint64_t launches = 0;
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  int registers = 0;                          // per thread
  int static_shared = 0, dynamic_shared = 0;  // bytes per block
  std::vector<int> grid, block;               // x, y, z of the first launch
};
struct ProfiledVariant {
  std::string variant;
  std::uint64_t planned = 0;  // launches, from the graph and the service map
  std::uint64_t traced = 0;   // launches of which at least one kernel was seen
  std::uint64_t kernels = 0;  // seen
  double bytes = 0;           // by the op's reference, of all planned launches
  double flops = 0;
};
struct ProfileReply {
  WorkReply untraced;  // the same work just before, tracing switched off
  WorkReply traced;
  std::vector<ProfiledKernel> kernels;    // by falling total time
  std::vector<ProfiledVariant> variants;  // sorted by id
  std::uint64_t passes = 0;   // runs of kernels that begin with `embed`: decode steps, or chunks
  std::int64_t span_ns = 0;   // from the first kernel's start to the last one's end
  std::int64_t busy_ns = 0;   // of it, while at least one kernel ran
  std::int64_t gap_ns = 0;    // idle between two kernels of one pass
  std::int64_t wait_ns = 0;   // idle between two passes: the host
  std::uint64_t dropped = 0;  // records that the tracer lost
};

struct KernelCasesRequest {
  std::string op;
  std::string variant;  // empty: the fp64 values and budgets instead
  std::string dir;      // where outputs.bin / values.f64 / budgets.f64 are written
  int repeat = 1;       // launches per case; every output must be the same bits
  std::string reads;    // without a variant: "half" for values on halved activations
};
struct KernelCase {
  std::string name;
  std::uint64_t output_offset = 0, output_bytes = 0;  // in outputs.bin (variant given)
  std::uint64_t values_offset = 0, values = 0;        // in values.f64 / budgets.f64, in elements
  bool guards_intact = true;
  bool repeatable = true;
  std::uint64_t launches = 0;  // of the requested variant
};
struct KernelCasesReply {
  std::vector<KernelCase> cases;
  Counts counts;  // every variant that ran
};

// What the kernels of a CUDA variant take of a multiprocessor, over the op's generated cases.
struct ResourcesRequest {
  std::string variant;
};
struct KernelResources {
  std::string kernel;   // demangled
  int threads = 0;      // of a block
  int registers = 0;    // per thread
  int local_bytes = 0;  // per thread: spills and arrays that registers cannot hold
  int static_shared = 0, dynamic_shared = 0;  // bytes per block
  int blocks_per_sm = 0;                      // as the driver counts
  int blocks_computed = 0;                    // as kernels/occupancy.h counts; -1: no limits known
  std::string tight;                          // "warps", "blocks", "registers" or "shared"
};
struct ResourcesReply {
  std::vector<KernelResources> kernels;  // sorted, each launch configuration once
};

struct HealthReply {
  std::uint64_t rss_bytes = 0;
  std::uint64_t served = 0;  // requests answered
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HelloReply, protocol, program, version, device_key,
                                                device_name, cores, source_root, variants, gpu_key,
                                                gpu_name, gpu_uuid, gpu_absent)
void to_json(nlohmann::json& json, const ServiceRow& row);
void from_json(const nlohmann::json& json, ServiceRow& row);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LoadRequest, model, backend, service, context,
                                                threads, graphs, profile, own_gemm)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LoadReply, name, architecture, sha256, layers,
                                                embedding, heads, kv_heads, head_dim, feed_forward,
                                                vocab, context, threads, has_vocabulary, bos, eos,
                                                ends, weight_bytes, kv_bytes, own_gemm)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TokenizeRequest, text, special, enclose)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TokenizeReply, tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DetokenizeRequest, tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DetokenizeReply, text_base64)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WorkRequest, phase, prompt, steps, forced, chunk,
                                                all_rows, logits, dir, device_clock, temperature,
                                                top_k, top_p, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WorkReply, top, margins, digests, tokens, picks,
                                                digest, elapsed_ns, prefill_ns, decode_ns,
                                                device_ns, device_cycles, prefill_reused,
                                                prefill_counts, decode_counts, nonfinite,
                                                logits_file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PlanReply, prefill_counts, decode_counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfiledKernel, kernel, variant, launches, total_ns,
                                                min_ns, max_ns, registers, static_shared,
                                                dynamic_shared, grid, block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfiledVariant, variant, planned, traced, kernels,
                                                bytes, flops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfileReply, untraced, traced, kernels, variants,
                                                passes, span_ns, busy_ns, gap_ns, wait_ns, dropped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelCasesRequest, op, variant, dir, repeat, reads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelCase, name, output_offset, output_bytes,
                                                values_offset, values, guards_intact, repeatable,
                                                launches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelCasesReply, cases, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ResourcesRequest, variant)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelResources, kernel, threads, registers,
                                                local_bytes, static_shared, dynamic_shared,
                                                blocks_per_sm, blocks_computed, tight)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ResourcesReply, kernels)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HealthReply, rss_bytes, served)

}  // namespace assay
