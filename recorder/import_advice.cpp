// A record has seals, so a difference from the database can be blamed on one of the two. An A/A
// effect of results/calibrations.json has none: there git is the only witness.
#include "recorder/import_advice.h"

#include <fmt/format.h>

#include "recorder/calibration_form.h"

namespace assay {

std::string import_advice(const std::string& what, const std::string& shown) {
  const auto says = [&](const char* words) { return what.find(words) != std::string::npos; };
  if (says("; update ")) return "";
  if (says("two experiments cannot share a run")) {
    return ": move this file away, which is a copy under another slug, or forged";
  }
  if (says(": is in the database ") && shown == kCalibrationsPath) {
    return fmt::format(
        "; one of the two was changed, and no seal says which: `git diff -- {0}` and `git log -p "
        "-- {0}` show whether the file was. Then restore it (git checkout -- {0}), else move the "
        "database away, and committed records are imported into a new one",
        shown);
  }
  // Its own seal was looked at first.
  if (says(": is in the database ")) {
    return "; the record is sound by itself, so the database was edited: move that away, and "
           "committed records are imported into a new one";
  }
  if (says(": the file's name says ")) {
    return "; give the file the name that its content says, or move it away";
  }
  if (says("have grown apart")) {
    return "; keep one of them: move this file away and run `assay index`, or move the database "
           "away";
  }
  if (what.starts_with("source ") && what.ends_with(" is missing")) {
    return fmt::format(
        "; restore it (git checkout -- {}), or move it away and import an archive "
        "that has it",
        shown);
  }
  return fmt::format("; restore it (git checkout -- {}), or move it away and run `assay index`",
                     shown);
}

}  // namespace assay
