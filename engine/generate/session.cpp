#include "engine/generate/session.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "engine/generate/check_work.h"
#include "engine/generate/digest.h"

namespace assay {
namespace {

class Stopwatch {
 public:
  std::int64_t ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Sampling sampling_of(const WorkRequest& request) {
  return {.temperature = request.temperature,
          .top_k = request.top_k,
          .top_p = request.top_p,
          .seed = request.seed};
}

}  // namespace

WorkReply Session::work(const WorkRequest& request) {
  check_work(request, model_.hyper.vocab, backend_.context(), backend_.max_rows());
  std::optional<ArrayFile> file;
  if (request.logits) file.emplace(request.dir + "/logits.f32");
  ArrayFile* logits = file ? &*file : nullptr;
  WorkReply reply;
  reply.prefill_reused = reusable(request);
  if (!reply.prefill_reused) {
    const LaunchCounts before = backend_.launches();
    const bool timed = request.device_clock && request.phase == "prefill";
    if (timed) backend_.begin_span();
    const Stopwatch watch;
    prefill(request, logits);
    reply.prefill_ns = watch.ns();
    if (timed) take_span(reply);
    reply.prefill_counts = launches_since(before, backend_.launches());
  }
  reply.nonfinite = cached_.nonfinite;
  if (request.all_rows) {
    for (const Row& row : cached_.rows) append(row, reply);
  } else {
    append(cached_.rows.back(), reply);
  }
  const LaunchCounts before = backend_.launches();
  const bool timed = request.device_clock && request.phase == "decode";
  if (timed) backend_.begin_span();
  const Stopwatch watch;
  decode(request, logits, reply);
  reply.decode_ns = watch.ns();
  if (timed) take_span(reply);
  reply.decode_counts = launches_since(before, backend_.launches());
  if (file) {
    file->close();
    reply.logits_file = file->path();
  }
  reply.digest = digest_of(reply.digests, reply.tokens);
  reply.elapsed_ns = request.phase == "prefill" ? reply.prefill_ns : reply.decode_ns;
  return reply;
}

void Session::take_span(WorkReply& reply) {
  const DeviceSpan span = backend_.end_span();
  reply.device_ns = span.ns;
  reply.device_cycles = span.cycles;
}

bool Session::reusable(const WorkRequest& request) const {
  const bool has_rows = !request.all_rows || cached_.rows.size() == request.prompt.size();
  const bool has_logits = request.temperature == 0 || !cached_.logits.empty();
  return request.phase == "decode" && !request.logits && has_rows && has_logits &&
         cached_.tokens == request.prompt;
}

void Session::prefill(const WorkRequest& request, ArrayFile* logits) {
  cached_ = {};
  const std::span<const std::int32_t> prompt(request.prompt);
  std::vector<Row> rows;
  std::uint64_t nonfinite = 0;
  for (const Chunk& chunk :
       chunks_of(static_cast<int>(prompt.size()), request.chunk, backend_.max_rows())) {
    const std::uint64_t before = backend_.nonfinite();
    backend_.prefill(
        prompt.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.t)),
        chunk.first);
    nonfinite += backend_.nonfinite() - before;
    const bool last = chunk.first + chunk.t == static_cast<int>(prompt.size());
    const int first_row = request.all_rows ? 0 : (last ? chunk.t - 1 : chunk.t);
    for (int row = first_row; row < chunk.t; ++row) {
      rows.push_back(read_row(row, backend_.nonfinite(), nullptr, logits));
    }
  }
  cached_ = {.tokens = request.prompt, .rows = std::move(rows), .nonfinite = nonfinite};
  if (request.temperature > 0) {
    const std::span<const float> last = backend_.logits();
    cached_.logits.assign(last.begin(), last.end());
  }
}

void Session::decode(const WorkRequest& request, ArrayFile* logits, WorkReply& reply) {
  const int start = static_cast<int>(request.prompt.size());
  Draw draw{.sampling = sampling_of(request)};
  const bool draws = request.temperature > 0;
  std::int32_t next = draws ? pick_token(cached_.logits, draw) : cached_.rows.back().top;
  reply.picks.push_back(next);
  for (int step = 0; step < request.steps; ++step) {
    if (!request.forced.empty()) next = request.forced[static_cast<std::size_t>(step)];
    const std::uint64_t before = backend_.nonfinite();
    backend_.decode(next, start + step);
    reply.tokens.push_back(next);
    draw.step = step + 1;
    const Row row = read_row(0, before, draws ? &draw : nullptr, logits);
    append(row, reply);
    next = draws ? row.drawn : row.top;
    reply.picks.push_back(next);
  }
}

Session::Row Session::read_row(int row, std::uint64_t nonfinite, const Draw* draw,
                               ArrayFile* logits) {
  const RowReading reading = backend_.read_row(row, draw);
  if (logits != nullptr) logits->append(std::as_bytes(backend_.logits()));
  const float margin = reading.top.value - reading.top.second;
  // JSON has no infinities; a margin that is none counts among the non-finite values.
  const bool finite = std::isfinite(margin);
  return {.top = reading.top.index,
          .margin = finite ? margin : 0.0f,
          .digest = hex_of(reading.digest),
          .nonfinite = backend_.nonfinite() - nonfinite + reading.nonfinite,
          .drawn = reading.drawn};
}

void Session::append(const Row& row, WorkReply& reply) {
  reply.top.push_back(row.top);
  reply.margins.push_back(row.margin);
  reply.digests.push_back(row.digest);
  reply.nonfinite += row.nonfinite;
}

}  // namespace assay
