// Part b: one decode step of a large model, a thousand times, beside a stream that is in the way.
//
// A missing fence or a partial sum that is read too early depends on who runs beside whom. Alone a
// step meets the same neighbours each time; beside loads of drawn sizes it does not.
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "engine/backend/cuda/cuda_inspection.h"
#include "engine/replay/byte_digest.h"
#include "engine/replay/cuda_service.h"
#include "engine/replay/disturbance.h"
#include "engine/replay/replay.h"
#include "engine/replay/subject.h"
#include "engine/replay/walk.h"

namespace assay::replay {
namespace {

constexpr const char* kModel = "synth:qwen2.5-7b-q4_k_m";
constexpr int kDepth = 1641;  // positions before the step
constexpr int kRepeats = 1000;
constexpr int kAlone = 50;

std::string digest_of_cache(Backend& backend) {
  ByteDigest digest;
  dynamic_cast<CudaInspection&>(backend).read_cache(
      kDepth + 1, [&](std::span<const std::uint16_t> layer) { digest.add(std::as_bytes(layer)); });
  return digest.hex();
}

struct Repeats {
  std::map<std::string, int> digests;
  int beside = 0;  // steps that began and ended with a load under way
  double ms = 0;   // per step, its logits on the host
};

Repeats repeat(Backend& backend, std::int32_t token, int times, Disturbance* disturbance) {
  Repeats repeats;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) {
    if (disturbance != nullptr) disturbance->keep_going();
    const bool began = disturbance != nullptr && disturbance->busy();
    backend.decode(token, kDepth);
    backend.output(0);
    const bool ended = disturbance != nullptr && disturbance->busy();
    ++repeats.digests[digest_of_row(backend)];
    repeats.beside += began && ended ? 1 : 0;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  repeats.ms = took.count() / times;
  return repeats;
}

Outcome repeats_beside_a_load(const Options& options) {
  Subject subject(kModel, options.threads);
  const auto tokens = drawn_tokens(kDepth + 1, subject.hyper().vocab, 21);
  const auto backend = subject.on_cuda(cuda_service(options.fused), kDepth + 1);
  backend->prefill(std::span(tokens).first(kDepth), 0);
  const Repeats alone = repeat(*backend, tokens.back(), kAlone, nullptr);
  const std::string cache = digest_of_cache(*backend);
  Disturbance disturbance;
  const Repeats beside = repeat(*backend, tokens.back(), kRepeats, &disturbance);
  const bool same_cache = digest_of_cache(*backend) == cache;
  const bool one = alone.digests.size() == 1 && beside.digests.size() == 1 &&
                   alone.digests.begin()->first == beside.digests.begin()->first;
  const bool disturbed = beside.beside > kRepeats / 2;
  return {
      .ok = one && same_cache && disturbed && backend->nonfinite() == 0,
      .judged = true,
      .sentence = fmt::format(
          "{} repeats beside {} loads ({} wholly under one; more than half must): {} digest(s), "
          "{} alone, {}, the cache {}; {:.2f} ms a step, {:.2f} alone",
          kRepeats, disturbance.loads(), beside.beside, beside.digests.size(), alone.digests.size(),
          one ? "the same" : "NOT the same", same_cache ? "too" : "NOT", beside.ms, alone.ms),
      .figures = {{"repeats", kRepeats},
                  {"digests", static_cast<double>(beside.digests.size())},
                  {"loads", disturbance.loads()},
                  {"beside", beside.beside},
                  {"ms", beside.ms},
                  {"ms_alone", alone.ms}}};
}

}  // namespace

void check_repeats(const Options& options, Report& report) {
  report.line('b', fmt::format("{}, a step at depth {} beside a load", kModel, kDepth),
              [&] { return repeats_beside_a_load(options); });
}

}  // namespace assay::replay
