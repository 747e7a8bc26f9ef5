// Laws: lessons that are strong enough to speak of experiments that nobody has run yet.
//
// experiments/laws.yaml, which people write:
//
//   version: 1
//   laws:
//     - slug: attention-kv-tile
//       statement: The K/V tile of prefill attention is part of its arithmetic.
//       when: {op: attention_prefill, changes: [tkv]}   # law_predicate.h
//       then: {not_class: bitwise}
//       evidence: [hist-60, attention-kv-tile]
//       scope: {devices: [H200], compilers: [nvcc 13]}  # parts of names; absent: everywhere
//       refuted_by: A bitwise experiment that changes tkv and is green at identity and parity.
//
// What a law claims is one of three things: that the class does not hold (`not_class`), that the
// change will be reverted for one of some reasons (`reason`), or that it lands (`verdict: LAND`).
// Whether it is upheld is derived from verdicts (law_state.h) and never written down.
#pragma once

#include <string>
#include <vector>

#include "experiments/law_predicate.h"

namespace assay {

inline constexpr const char* kLawsPath = "experiments/laws.yaml";  // in a workspace

struct Law {
  std::string slug;
  std::string statement;
  LawPredicate when;
  // Exactly one of these three.
  std::string not_class;             // "bitwise"
  std::vector<std::string> reasons;  // "no-gain", ...
  bool lands = false;
  std::vector<std::string> evidence;  // slugs of experiments and historical entries
  // Parts of names of devices ("H200") and compilers ("nvcc 13"); empty: all of them.
  std::vector<std::string> devices, compilers;
  std::string refuted_by;
  int line = 0;  // of its slug, from 1

  // "not class bitwise", "REVERT no-gain or unproven", "LAND".
  std::string claim() const;
  // Whether the law says something that stands against such a definition: its class does not hold,
  // or it will be reverted. One that says it lands stands against nothing.
  bool against(const LawSubject& subject) const;
  // Whether what a device and compiler of these names do is within the law. An empty name is not
  // known, and may be.
  bool within(const std::string& device, const std::string& compiler) const;
};

// Error(kUsage) FILE:LINE:COLUMN with a caret, as definitions have it.
std::vector<Law> parse_laws(const std::string& text, const std::string& file_name);
// The laws of a workspace; none where it has no file.
std::vector<Law> read_laws(const std::string& workspace);

}  // namespace assay
