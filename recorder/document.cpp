// A record is its parts, gathered once, through eight sections in a fixed order.
#include "recorder/document.h"

#include "recorder/record_parts.h"

namespace assay {
namespace {

Document compose(const RecordParts& parts) {
  Document document;
  add_header(document, parts);
  add_background(document, parts);
  add_principle(document, parts);
  add_implementation(document, parts);
  add_verification(document, parts);
  add_results(document, parts);
  add_lessons(document, parts);
  add_footer(document, parts);
  return document;
}

}  // namespace

std::string render_record(const Store& store, const ExperimentLabel& label,
                          const std::string& workspace, const Recorded& all) {
  return render_record(gather(store, label, workspace, true, all));
}

std::string render_record(const RecordParts& parts) {
  return to_markdown(compose(parts));
}

// Runs that have not ended are shown here: a terminal is where one looks while they go on.
std::string render_terminal(const Store& store, const ExperimentLabel& label,
                            const std::string& workspace, bool color) {
  return to_terminal(compose(gather(store, label, workspace, false)), color);
}

}  // namespace assay
