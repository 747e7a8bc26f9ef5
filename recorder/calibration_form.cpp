// Reading is strict: an effect widens or narrows the interval of every later verdict on its
// machine, so none comes in with a part missing.
#include "recorder/calibration_form.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/json_text.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

using Json = nlohmann::json;

[[noreturn]] void damaged(int line, const std::string& what) {
  throw Error(ErrorKind::kCheckFound, fmt::format("{}: {}", line, what));
}

AaEffect read_effect(const Json& json) {
  for (const char* part : {"id", "key", "host", "at"}) json.at(part).get_ref<const std::string&>();
  for (const Json& value : json.at("pair_values")) value.get<double>();
  return json.get<AaEffect>();
}

}  // namespace

std::string export_calibrations(const Store& store) {
  return canonical_json(
      {{"format", "assay-calibrations"}, {"version", 1}, {"effects", store.aa_effects()}});
}

int import_calibrations(Store& store, const std::string& text) {
  const Json json = parse_json_text(text);
  int count = 0;
  std::string place;
  try {
    if (json.at("format") != "assay-calibrations") damaged(1, "not calibrations of Assay");
    if (json.at("version") != 1) {
      damaged(line_of(text, "\"version\""),
              fmt::format("version {} of the form, this program reads 1; update it",
                          json.at("version").dump()));
    }
    refuse_unknown_fields(json, {"effects", "format", "version"}, text);
    for (const Json& effect : json.at("effects")) {
      refuse_unknown_fields(effect, {"at", "host", "id", "key", "pair_values"}, text);
    }
    store.together([&] {
      for (const Json& effect : json.at("effects")) {
        place = effect.is_object() && effect.contains("id") && effect.at("id").is_string()
                    ? effect.at("id").get<std::string>()
                    : "";
        count += store.import_aa(read_effect(effect)) ? 1 : 0;
      }
    });
  } catch (const Json::exception&) {
    damaged(line_of(text, "\"" + place + "\""), "a part is missing or of the wrong type" +
                                                    (place.empty() ? "" : " in effect " + place));
  } catch (const Error& error) {
    const std::string what = error.what();
    if (error.kind() != ErrorKind::kCheckFound || place.empty()) throw;
    damaged(line_of(text, "\"" + place + "\""), what);
  }
  return count;
}

bool write_calibrations(const Store& store, const std::string& workspace) {
  const std::string path = workspace + "/" + kCalibrationsPath;
  if (store.aa_effects().empty() && !std::filesystem::exists(path)) return false;
  return replace_file(path, export_calibrations(store), kCalibrationsPath);
}

}  // namespace assay
