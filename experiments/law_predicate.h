// Of which definitions a law speaks: a small closed vocabulary, read from YAML and held against a
// definition or a recorded experiment.
//
//   when: {op: attention_prefill, changes: [tq, tkv]}
//   when: {op: "matmul_*", changes: {tokens: {to: "9.."}}, phase: prefill, device: cpu}
//
// Every key that is given must hold; a predicate without keys is refused. Names of parameters are
// free, since a law outlives the variants that it was learnt from; names of ops are checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "experiments/yaml_source.h"

namespace assay {

// What a predicate is held against.
struct LawSubject {
  struct Change {
    std::string op;
    std::string incumbent, candidate;  // variant ids; incumbent empty: not known
  };
  std::string lever;
  LeverClass lever_class = LeverClass::kBitwise;
  std::string mechanism;  // the definition's: "wait", ...; may be empty
  std::string phase;      // of the primary workload
  std::string device;     // scope's key, such as "cuda-sm90"; empty: this machine's processor
  std::optional<double> expect_wall;
  std::vector<Change> changes;
};
// All of it but the incumbents, which only a service map or a record knows.
LawSubject law_subject(const Definition& definition);

// A parameter of a variant, or its mechanism, that takes another value.
struct ParameterChange {
  std::string name;  // "tkv", "mechanism"
  std::string from, to;
};
// How two variants of an op differ. A parameter that only one of them has counts, with "" for the
// other; between mechanisms only those count that both have.
std::vector<ParameterChange> parameter_changes(const std::string& incumbent,
                                               const std::string& candidate);

struct LawPredicate {
  // A value that a changed parameter has: a word, or a range of whole numbers. Empty: any.
  struct Wanted {
    std::string name;
    std::string from, to;  // as written: "", "64", "9..", "double"
  };
  std::vector<std::string> levers;
  std::vector<std::string> ops;  // "matmul_q4k", "matmul_*"
  std::vector<Wanted> changes;   // one of them is enough
  std::vector<std::string> classes, mechanisms;
  std::string phase;
  std::string device;                       // a key of the service map; stands for its family too
  std::optional<double> expect_wall_below;  // fraction: the definition itself expects less

  bool matches(const LawSubject& subject) const;
  // "op attention_prefill, changes tq or tkv": for people.
  std::string describe() const;
};

// `name` names the map in messages: "when".
LawPredicate read_predicate(const YamlSource& source, const YamlValue& value,
                            std::string_view name);

// One word, or a list of them, each a line of its own.
std::vector<std::string> read_words(const YamlSource& source, const YamlValue& value,
                                    std::string_view name);

}  // namespace assay
