// What a judgement looks like in the history. An exact test that was not asked has no entry.
#include "gates/statistics/judge.h"

namespace assay {
namespace {

void put(nlohmann::json& json, const char* name, const std::optional<double>& value) {
  if (value) json[name] = *value;
}

std::optional<double> get(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : std::optional<double>(found->get<double>());
}

}  // namespace

void to_json(nlohmann::json& json, const LookRow& row) {
  json = {{"stage", row.stage},
          {"pairs", row.pairs},
          {"dropped", row.dropped},
          {"p_boundary", row.p_boundary},
          {"mean", row.mean},
          {"pair_sd", row.pair_sd},
          {"error", row.error},
          {"aa_error", row.aa_error},
          {"df", row.df},
          {"aa_runs", row.aa_runs},
          {"estimate", row.estimate},
          {"low", row.low},
          {"high", row.high},
          {"lower", row.lower},
          {"t_bar", row.t_bar},
          {"p_land", row.p_land},
          {"p_no_gain", row.p_no_gain},
          {"t_zero", row.t_zero},
          {"p_slower", row.p_slower},
          {"says", row.says}};
  put(json, "p_sign_flip", row.p_sign_flip);
  put(json, "p_signed_rank", row.p_signed_rank);
  put(json, "p_relabelled", row.p_relabelled);
}

void from_json(const nlohmann::json& json, LookRow& row) {
  json.at("stage").get_to(row.stage);
  json.at("pairs").get_to(row.pairs);
  json.at("dropped").get_to(row.dropped);
  json.at("p_boundary").get_to(row.p_boundary);
  json.at("mean").get_to(row.mean);
  json.at("pair_sd").get_to(row.pair_sd);
  json.at("error").get_to(row.error);
  json.at("aa_error").get_to(row.aa_error);
  json.at("df").get_to(row.df);
  json.at("aa_runs").get_to(row.aa_runs);
  json.at("estimate").get_to(row.estimate);
  json.at("low").get_to(row.low);
  json.at("high").get_to(row.high);
  json.at("lower").get_to(row.lower);
  json.at("t_bar").get_to(row.t_bar);
  json.at("p_land").get_to(row.p_land);
  json.at("p_no_gain").get_to(row.p_no_gain);
  json.at("t_zero").get_to(row.t_zero);
  json.at("p_slower").get_to(row.p_slower);
  json.at("says").get_to(row.says);
  row.p_sign_flip = get(json, "p_sign_flip");
  row.p_signed_rank = get(json, "p_signed_rank");
  row.p_relabelled = get(json, "p_relabelled");
}

void to_json(nlohmann::json& json, const AbJudgement& judgement) {
  json = {{"action", to_string(judgement.action)},
          {"next_stage", judgement.next_stage},
          {"next_pairs", judgement.next_pairs},
          {"reason", judgement.reason},
          {"sentence", judgement.sentence},
          {"looks", judgement.looks},
          {"looked", judgement.looked},
          {"provisional", judgement.provisional},
          {"separated", judgement.separated}};
  if (judgement.set_aside > 0) json["set_aside"] = judgement.set_aside;
  if (judgement.twins) json["twins"] = *judgement.twins;
}

}  // namespace assay
