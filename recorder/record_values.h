// The values of a record by name, so that an author's words need not repeat a number: notes say
// {{ab.effect}}, and the record shows "+3.38 %".
//
//   ab.effect, ab.low, ab.high, ab.pairs, ab.pair_sd, ab.baseline_time, ab.candidate_rate, ...
//   confirmation.effect, ...   guard0.effect, ...   bar, expect.wall, expect.kernel
//   GATE.outcome, GATE.seconds, GATE.KEY of what the gate stored
//
// All of them of the attempt that gave the verdict (of the last one, where none has), and of every
// attempt as attempt1.ab.effect. Of replications: replication1.effect, .low, .high, .pairs,
// .outcome. `assay show ID --values` lists them.
//
// A {{name}} in code (a span or a fence) stays as it is, and so does one that is no value of the
// record: `note`, `index` and `check` say so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "experiments/record/view.h"

namespace assay {

inline constexpr std::size_t kMostFaults = 100;  // that are told of one text

struct RecordValue {
  std::string name;
  std::string text;              // as the record shows it
  std::optional<double> number;  // in `unit`; none for words
  std::string unit;              // "%", "ms", "tok/s", "pairs", "s"; "" for none
  bool result = false;           // what was found, or how long it took: to be met by typed numbers
};
// By name, in an order that does not change.
std::vector<RecordValue> record_values(const ExperimentView& view,
                                       const std::optional<Definition>& definition);

// `text` with its names replaced.
std::string with_values(const std::string& text, const std::vector<RecordValue>& values);

// Names that are no value of the record: "PATH:LINE:COLUMN: ...", with the nearest one.
std::vector<std::string> unknown_names(const std::string& path, const std::string& text,
                                       const std::string& slug,
                                       const std::vector<RecordValue>& values);

// Numbers typed by hand that are close to a result of the record and are none of its values:
// "PATH:LINE:COLUMN: ...". A number counts with one of the units %, ms, tok/s, pairs behind it,
// outside of code and names, and not after a word that makes it a rough one ("about", "below").
//  - It is right when a value of that unit, rounded to the digits typed, is it (a number without a
//    sign may mean either).
//  - It is close when it is not right and lies within a tenth of a result.
// `cited` are the values of other records that the note speaks of, by slug or number.
std::vector<std::string> typed_numbers(const std::string& path, const std::string& text,
                                       const std::vector<RecordValue>& values,
                                       const std::vector<RecordValue>& cited);

}  // namespace assay
