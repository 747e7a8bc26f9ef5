// Which rows of a service map a LAND may touch. Asked wherever that matters: where a LAND is
// applied, where one comes in with an archive, and by `check`; so that no record, however it came
// here, changes more than the question that was frozen, by its own lever.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "experiments/record/view.h"
#include "experiments/service_map.h"

namespace assay {

struct LandClaim {
  struct Row {
    std::string device_key, op, incumbent, candidate;
  };
  std::string slug;
  std::string at;    // of the verdict: LANDs are made again in this order
  std::string path;  // of the map, relative to the workspace
  Scope scope;
  std::vector<Row> rows;
};

// Whether the latest verdict is a LAND.
bool has_landed(const ExperimentView& view);

// Of a view that has landed. Error(kUsage) "SLUG: its LAND ..." where it names no change of a map,
// another map than its definition, an op that its definition does not ask for, a variant that is no
// point of its lever, or does not say what it took the place of; and where this program does not
// know the definition's lever or variants any more.
LandClaim land_claim(const ExperimentView& view);

// Whether a row of a map, null where it has none, is as the LAND made it.
bool is_as_landed(const MapRow* here, const LandClaim::Row& row, const std::string& slug);

// The map with the claim's rows, whatever serves them. Error(kUsage) where it lacks one.
ServiceMap with_claim(const ServiceMap& map, const LandClaim& claim);

// What `assay apply` settled about a LAND after its verdict: that its file stays as it is, or that
// its rows were put in. The last one counts; nothing where there is none.
struct Settlement {
  std::string run, at;
  bool kept = false;
};
std::optional<Settlement> last_settlement(const ExperimentView& view);
// The message of a run's end that says so.
std::string settlement_message(const std::string& path, bool kept);

}  // namespace assay
