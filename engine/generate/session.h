// Prompt in, logits and tokens out: one loaded model's work, request by request.
//
// The prompt goes through prefill in chunks, the logits of its wanted rows through the output list;
// then each step feeds a token (a forced one, or the one that sampling.h draws) through decode.
// `generate`, gates and timing all use this loop.
//
// Reuse: a decode request whose prompt equals the one in the cache starts at its end. Prefill bits
// do not depend on chunking and decode writes only behind the prompt, so the result is the same as
// a fresh one; what the rows of the prompt gave is kept for the reply. A request that wants the
// logits themselves, or rows that were not computed, is never served that way; one that draws needs
// the logits of the prompt's last row, which are kept when a request that draws has computed them.
// That row and what a request writes to a file are all the logits that leave the backend: the rest
// of a row's reading is done where it lies.
//
// Invariants:
//   1. `cached_` speaks of the backend's cache: set after a whole prefill, cleared before one.
//   2. A reply is a function of the request and the model, but for times and `prefill_reused` (and
//      the prefill counts, which are empty then).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/generate/array_file.h"
#include "engine/model/model.h"
#include "engine/protocol/messages.h"

namespace assay {

class Session {
 public:
  // Both must outlive the session.
  Session(const Model& model, Backend& backend) : model_(model), backend_(backend) {}

  // Error(kUsage) for a request that check_work refuses or a folder that cannot be written.
  WorkReply work(const WorkRequest& request);

 private:
  struct Row {
    std::int32_t top = -1;
    float margin = 0;
    std::string digest;
    std::uint64_t nonfinite = 0;  // among its logits and their op's inputs
    std::int32_t drawn = -1;      // where it was asked for
  };
  struct CachedPrompt {
    std::vector<std::int32_t> tokens = {};  // empty: nothing cached
    std::vector<Row> rows = {};             // of all rows, or of the last
    std::vector<float> logits = {};         // (vocab) of the last row; empty: not kept
    std::uint64_t nonfinite = 0;            // in the layers
  };

  // Ends the span of the timed phase.
  void take_span(WorkReply& reply);
  bool reusable(const WorkRequest& request) const;
  // `logits`: where rows of logits go, in the order of the reply's rows; null: nowhere.
  void prefill(const WorkRequest& request, ArrayFile* logits);
  void decode(const WorkRequest& request, ArrayFile* logits, WorkReply& reply);
  // `nonfinite`: the backend's count before what belongs to the row.
  Row read_row(int row, std::uint64_t nonfinite, const Draw* draw, ArrayFile* logits);
  static void append(const Row& row, WorkReply& reply);

  const Model& model_;
  Backend& backend_;
  CachedPrompt cached_;
};

}  // namespace assay
