// Everything that a new variant needs, as file contents, before a byte is written.
//
// A new mechanism gets a copy of the file of --from under its own name, with one ASSAY_VARIANT
// line. A new parameter point of the same mechanism gets a line in the file it shares. Both get a
// VariantInfo entry, a line in the registry, and a definition whose hypothesis is left empty: the
// parser refuses it until somebody has written one. The copy computes what --from computes, so that
// the tree builds and its conformance test passes from the start; until it differs, `run` says
// no-op.
#pragma once

#include <string>
#include <vector>

namespace assay {

struct PlannedFile {
  std::string path;    // from the sources' root
  bool fresh = false;  // must not exist yet
  std::string before;  // of a file that is changed
  std::string after;
};

struct VariantPlan {
  std::string slug;
  std::string mechanism_file;
  std::string definition_file;
  bool new_mechanism = false;
  std::vector<PlannedFile> files;
};

// Reads below `root` and writes nothing. Error(kUsage) where ids, files or forms do not fit.
VariantPlan plan_variant(const std::string& root, const std::string& id, const std::string& from);

// Writes a plan's files; when one cannot be written, those before it are put back.
void write_plan(const std::string& root, const VariantPlan& plan);

}  // namespace assay
