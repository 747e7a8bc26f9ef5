// The fingerprint of a variant's code.
//
// Problem: an attempt is told from another by what the machine will execute, so a comment, a path,
// a rebuild or another id must not count, and a changed constant must. Whole objects fail the first
// (debug information, names), disassembly fails the second (constants lie elsewhere).
//
// Method: start at the launch function's section and walk every section that relocations reach, in
// the order they are met. Each contributes its bytes and, per relocation, offset, type and target.
// A target in the project's objects is the ordinal of its section in this walk, whatever it is
// called; a target in a pool of merged constants is the constant's bytes, since its place depends
// on its neighbours; a target outside is its name. Without targets, launchers that differ only in
// the function they call have equal bytes.
//
// Not counted: debug and unwind sections, merged strings, names of types. The variant's own launch
// function and counter are "self", so that a copy under another id has the same hash. The walk
// stops at another variant's launch function or counter, and reports it: such a variant runs code
// that is not its own. A counter alone counts, because the compiler may have inlined the call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/manifest/object_files.h"

namespace assay {

struct CodeHash {
  std::string sha256;
  std::vector<std::string> reaches;  // other variants' launch symbols without prefix, sorted
};

// `symbol` as VariantInfo::symbol. Nothing when the objects hold no such launch function.
// Error(kBaseline) when it shares its section with other functions.
std::optional<CodeHash> hash_code(const ObjectSet& set, const std::string& symbol);

}  // namespace assay
