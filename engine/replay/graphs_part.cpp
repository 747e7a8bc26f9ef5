// Part a: the replay of captured graphs against eager launches.
//
// A stale pointer, a launch argument that should have come from the device, or the graph of another
// row of the map: each gives right answers as long as nothing moves. So the map has three rows of
// decode attention, contexts grow, shrink and jump across both edges, a second backend lives beside
// the first, and what does not belong to the one at work is NaN.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "engine/backend/cuda/cuda_inspection.h"
#include "engine/replay/cuda_service.h"
#include "engine/replay/replay.h"
#include "engine/replay/subject.h"
#include "engine/replay/walk.h"

namespace assay::replay {
namespace {

constexpr int kContext = 4096;
constexpr char kPart = 'a';
constexpr const char* kSmall = "synth:tiny-q4_k_m";
constexpr const char* kLarge = "synth:qwen2.5-7b-q4_k_m";

void poison(Backend& backend) {
  dynamic_cast<CudaInspection&>(backend).poison();
}

// Every position of a small model. The checks are called in the order in which they stand here.
class EveryPosition {
 public:
  explicit EveryPosition(const Options& options)
      : options_(options),
        subject_(kSmall, options.threads),
        service_(with_splits_by_length(cuda_service(options.fused))),
        tokens_(drawn_tokens(kContext, subject_.hyper().vocab, 11)),
        eager_(subject_.on_cuda(service_, kContext, false)),
        first_(subject_.on_cuda(service_, kContext)) {}

  // Fills both caches; what the eager launches gave is what all that follows is held against.
  Outcome up() {
    const LaunchCounts before = first_->launches();
    Comparison comparison;
    for (const int position : upwards(kContext)) {
      const std::int32_t token = tokens_[static_cast<std::size_t>(position)];
      expected_.push_back(digest_of_step(*eager_, token, position));
      comparison.add(position, digest_of_step(*first_, token, position) == expected_.back());
    }
    const std::size_t digests = std::set(expected_.begin(), expected_.end()).size();
    const bool live = launched_as_planned(launches_since(before, first_->launches()));
    const std::uint64_t nonfinite = eager_->nonfinite() + first_->nonfinite();
    Outcome outcome = judged(comparison);
    outcome.ok = outcome.ok && live && nonfinite == 0 && digests > kContext * 9 / 10;
    outcome.sentence +=
        fmt::format("; {} different digests, {} values not finite, splits {}", digests, nonfinite,
                    live ? "32, 64 and 128 ran as the map says" : "did not run as the map says");
    return outcome;
  }

  Outcome walk(bool graphs, const std::vector<int>& order) {
    return judged(compare_walk(graphs ? *first_ : *eager_, tokens_, order, expected_));
  }

  Outcome second_beside_poisoned_first() {
    second_ = subject_.on_cuda(service_, kContext);
    poison(*first_);
    poison(*second_);
    return judged(compare_walk(*second_, tokens_, upwards(kContext), expected_));
  }

  Outcome first_again() {
    poison(*first_);
    return judged(compare_walk(*first_, tokens_, upwards(kContext), expected_));
  }

  // A step of each is under way before either is read, at opposite ends of the text.
  Outcome in_turns() {
    Comparison comparison;
    for (int low = 0; low < kContext; ++low) {
      const int high = kContext - 1 - low;
      first_->decode(tokens_[static_cast<std::size_t>(low)], low);
      second_->decode(tokens_[static_cast<std::size_t>(high)], high);
      comparison.add(high, digest_of_row(*second_) == expected_[static_cast<std::size_t>(high)]);
      comparison.add(low, digest_of_row(*first_) == expected_[static_cast<std::size_t>(low)]);
    }
    return judged(comparison);
  }

  Outcome first_beside_poisoned_second() {
    poison(*second_);
    return walk(true, to_and_fro(kContext));
  }

  // New memory, most likely where the old one was.
  Outcome made_anew() {
    second_.reset();
    first_.reset();
    return other_map(service_);
  }

  Outcome other_mechanism() {
    return other_map(with_splits_by_length(cuda_service(!options_.fused)));
  }

  // With the graph of 64 splits at every position: how many steps give it away.
  Outcome one_graph_for_all() {
    const auto backend = subject_.on_cuda(with_splits(service_, 64), kContext);
    int found = 0;
    int asked = 0;
    for (const int position : upwards(kContext)) {
      const auto at = static_cast<std::size_t>(position);
      const bool differs = digest_of_step(*backend, tokens_[at], position) != expected_[at];
      if (position >= kFirstEdge && position < kSecondEdge) continue;  // 64 in both
      ++asked;
      found += differs ? 1 : 0;
    }
    return {.ok = 2 * found > asked,
            .judged = true,
            .sentence = fmt::format("{} of {} steps differ; more than half must", found, asked),
            .figures = {{"differ", found}, {"steps", asked}}};
  }

 private:
  static Outcome judged(const Comparison& comparison) {
    return {.ok = comparison.ok(),
            .judged = true,
            .sentence = to_string(comparison),
            .figures = {{"steps", comparison.compared}, {"differ", comparison.different}}};
  }

  bool launched_as_planned(const LaunchCounts& counts) const {
    const auto of = [&](int splits) {
      const auto found = counts.find(splits_variant(splits));
      return found == counts.end() ? 0 : found->second;
    };
    const auto layers = static_cast<std::uint64_t>(subject_.hyper().layers);
    return of(32) == layers * kFirstEdge && of(64) == layers * (kSecondEdge - kFirstEdge) &&
           of(128) == layers * (kContext - kSecondEdge);
  }

  Outcome other_map(const ServiceSelection& service) {
    const auto backend = subject_.on_cuda(service, kContext);
    poison(*backend);
    return judged(compare_walk(*backend, tokens_, upwards(kContext), expected_));
  }

  const Options& options_;
  Subject subject_;
  ServiceSelection service_;
  std::vector<std::int32_t> tokens_;
  std::unique_ptr<Backend> eager_, first_, second_;
  std::vector<std::string> expected_;  // digests by position
};

void every_position(const Options& options, Report& report) {
  const std::string model(kSmall);
  std::unique_ptr<EveryPosition> at;
  const auto check = [&](const std::string& what, const std::function<Outcome()>& run) {
    report.line(kPart, model + ", " + what, run);
  };
  check("graph = eager, 1 to 4,096 positions", [&] {
    at = std::make_unique<EveryPosition>(options);
    return at->up();
  });
  if (report.lines().back().failed()) return;  // nothing to hold the rest against
  check("graph, shrinking", [&] { return at->walk(true, downwards(kContext)); });
  check("graph, long and short in turns", [&] { return at->walk(true, to_and_fro(kContext)); });
  check("eager, long and short in turns", [&] { return at->walk(false, to_and_fro(kContext)); });
  check("a second backend, the first poisoned", [&] { return at->second_beside_poisoned_first(); });
  check("the first again, poisoned before", [&] { return at->first_again(); });
  check("both in turns", [&] { return at->in_turns(); });
  check("the first, the second poisoned", [&] { return at->first_beside_poisoned_second(); });
  check("memory made anew, poisoned", [&] { return at->made_anew(); });
  check(options.fused ? "separate = fused" : "fused = separate",
        [&] { return at->other_mechanism(); });
  check("the wrong graph would show", [&] { return at->one_graph_for_all(); });
}

// Chosen positions of a large model, in an order that crosses both edges in both directions. The
// prompt covers them all, so each step reads a whole cache.
std::vector<std::string> visits(Backend& backend, std::span<const std::int32_t> tokens) {
  constexpr int kVisits[] = {4095, 0,  1023, 1024, 1022, 1025, 2047, 2048, 2046, 2049, 1023,
                             31,   32, 63,   64,   127,  128,  4094, 1,    4095, 1024, 2047};
  backend.prefill(tokens, 0);
  std::vector<std::string> digests{digest_of_row(backend, kContext - 1)};
  for (const int position : kVisits) {
    digests.push_back(
        digest_of_step(backend, tokens[static_cast<std::size_t>(position)], position));
  }
  return digests;
}

Outcome equal_visits(const std::vector<std::string>& expected,
                     const std::vector<std::string>& found) {
  Comparison comparison;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    comparison.add(static_cast<int>(i), found[i] == expected[i]);
  }
  const std::size_t digests = std::set(expected.begin(), expected.end()).size();
  return {
      .ok = comparison.ok() && digests > expected.size() / 2,
      .judged = true,
      .sentence = comparison.ok()
                      ? fmt::format("a prompt of {} and {} steps, all equal; {} different",
                                    kContext, expected.size() - 1, digests)
                      : fmt::format("{} of {} visits differ, the first is visit {}",
                                    comparison.different, comparison.compared, comparison.first),
      .figures = {{"visits", comparison.compared}, {"differ", comparison.different}}};
}

void chosen_positions(const Options& options, Report& report) {
  std::unique_ptr<Subject> subject;
  std::unique_ptr<Backend> graph;
  std::vector<std::int32_t> tokens;
  std::vector<std::string> expected;
  const ServiceSelection service = with_splits_by_length(cuda_service(options.fused));
  const std::string model(kLarge);
  report.line(kPart, model + ", graph = eager, around edges", [&] {
    subject = std::make_unique<Subject>(kLarge, options.threads);
    tokens = drawn_tokens(kContext, subject->hyper().vocab, 12);
    expected = visits(*subject->on_cuda(service, kContext, false), tokens);
    graph = subject->on_cuda(service, kContext);
    return equal_visits(expected, visits(*graph, tokens));
  });
  if (report.lines().back().failed()) return;
  report.line(kPart, model + ", a second backend, the first poisoned", [&] {
    const auto second = subject->on_cuda(service, kContext);
    poison(*graph);
    poison(*second);
    return equal_visits(expected, visits(*second, tokens));
  });
}

}  // namespace

void check_graphs(const Options& options, Report& report) {
  every_position(options, report);
  chosen_positions(options, report);
}

}  // namespace assay::replay
