// assay profile: where the time of a prefill or of decode steps goes, kernel by kernel.
//
// For understanding, not for a claim: tracing adds to what it measures, so the time of the same
// work untraced stands beside it, and what a change is worth is for `run` to say. Decode steps are
// profiled as `generate` runs them, replayed from a captured graph, then once more launched one by
// one, so that what the counters claim of a replay is held against what ran.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "experiments/nearest_name.h"
#include "gates/cli/command.h"
#include "gates/cli/drawn_tokens.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/number_check.h"
#include "gates/cli/profile_text.h"
#include "gates/trace_liveness.h"
#include "kernels/variant.h"
#include "recorder/query.h"

namespace assay {
namespace {

constexpr int kMostSteps = 256;  // each is some hundred records

struct Options {
  EngineChoice engine{.model = "embedded", .backend = "cuda", .profile = true};
  std::string phase = "decode";
  int tokens = 512, depth = 128, steps = 16;
  std::vector<std::string> overrides;
  std::string prefill_flag, decode_flag;  // one of each phase's own flags that was given
};

// "rope=rope.cuda.pairs" into the choice.
void read_override(const std::string& text, std::map<std::string, std::string>& overrides) {
  const std::size_t equals = text.find('=');
  const std::string op = text.substr(0, equals);
  if (equals == std::string::npos || op.empty() || equals + 1 == text.size() ||
      op.find_first_of(".[") != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                "profile: --override " + text + ": write OP=VARIANT, as rope=rope.cuda.pairs");
  }
  const OpVariants* known = find_op(op);
  if (known == nullptr) {
    throw Error(ErrorKind::kUsage, "profile: --override " + text + ": there is no op " + op +
                                       "; `assay levers` lists them");
  }
  const std::string id = text.substr(equals + 1);
  std::vector<std::string_view> ids;
  for (const VariantInfo& info : known->variants) ids.push_back(info.id);
  const auto at = std::find(ids.begin(), ids.end(), id);
  if (at == ids.end()) {
    throw Error(ErrorKind::kUsage, "profile: --override " + text + ": " + op +
                                       " has no such variant" +
                                       suggestion(id, ids, "`assay levers` lists them"));
  }
  if (known->variants[static_cast<std::size_t>(at - ids.begin())].needs.backend !=
      BackendKind::kCuda) {
    throw Error(ErrorKind::kUsage,
                "profile: --override " + text + ": " + id +
                    " runs on the CPU, and only the kernels of a GPU can be traced");
  }
  if (overrides.emplace(op, id).second) return;
  throw Error(ErrorKind::kUsage, "profile: --override " + text +
                                     ": another one names a variant of " + op + " already");
}

void check_options(const Options& options) {
  if (options.engine.backend == "cpu") {
    throw Error(ErrorKind::kUsage,
                "profile: --backend cpu: only the kernels of a GPU can be traced: leave it out; "
                "`assay bench` says how fast the CPU is");
  }
  const bool decode = options.phase == "decode";
  const std::string& wrong = decode ? options.prefill_flag : options.decode_flag;
  if (wrong.empty()) return;
  throw Error(ErrorKind::kUsage, fmt::format("profile: {} says nothing to --phase {}: leave it out",
                                             wrong, options.phase));
}

int depth_of(const Options& options) {
  return std::max(1, options.depth);
}

int positions_needed(const Options& options) {
  return options.phase == "decode" ? depth_of(options) + options.steps : options.tokens;
}

WorkRequest request_of(const Options& options, const EngineSession& engine) {
  const bool decode = options.phase == "decode";
  const int needed = positions_needed(options);
  check_positions("profile", needed, options.engine, &engine.model);
  WorkRequest request;
  request.phase = options.phase;
  request.prompt = drawn_tokens(needed, engine.model.vocab);
  if (!decode) return request;
  request.forced.assign(request.prompt.begin() + depth_of(options), request.prompt.end());
  request.prompt.resize(static_cast<std::size_t>(depth_of(options)));
  request.steps = options.steps;
  return request;
}

// The work in a worker that knows of no tracer: a graph made under one replays more slowly.
WorkReply untraced_work(const Options& options, const CommonOptions& common) {
  EngineChoice choice = options.engine;
  choice.profile = false;
  EngineSession engine = open_engine(choice, common);
  const WorkRequest request = request_of(options, engine);
  value_or_throw(
      engine.worker.work(request));  // pages, clocks and the vendor's plans are cold in it
  return value_or_throw(engine.worker.work(request));
}

// What liveness found; empty when all agree.
std::string liveness_of(const ProfileReply& reply, EngineSession& engine,
                        const WorkRequest& request, bool replays) {
  std::string fault = trace_fault(reply);
  if (!fault.empty() || !replays) return fault;
  LoadRequest eager = engine.request;
  eager.graphs = false;
  value_or_throw(engine.worker.load(eager));
  const ProfileReply other = value_or_throw(engine.worker.profile(request));
  fault = trace_fault(other);
  return fault.empty() ? replay_fault(reply, other) : "launched one by one: " + fault;
}

void print(const ProfileView& view, const EngineSession& engine, const std::string& work) {
  std::cout << fmt::format("{}, {} layers; {} on {} ({}), service {} of {}\n\n",
                           printable(engine.model.name), engine.model.layers, work,
                           engine.device.device_name, engine.device.device_key,
                           engine.service_digest, engine.service_file)
            << format_cells(profile_cells(view), TableFormat::kTable) << "\n"
            << profile_lines(view);
}

nlohmann::json as_json(const ProfileView& view, const EngineSession& engine,
                       const std::string& work, const std::string& fault) {
  nlohmann::json json = view.reply;
  json["model"] = engine.model.name;
  json["model_sha256"] = engine.model.sha256;
  json["device"] = engine.device.device_key;
  json["device_name"] = view.device;
  json["service"] = engine.service_digest;
  json["work"] = work;
  json["steps"] = view.steps;
  json["predicted_step_s"] =
      view.ceilings == nullptr ? nlohmann::json() : nlohmann::json(predicted_step_s(view));
  json["liveness"] = {{"agree", fault.empty()}, {"fault", fault}};
  return json;
}

int act(Options options, const CommonOptions& common) {
  check_options(options);
  for (const std::string& text : options.overrides) {
    read_override(text, options.engine.overrides);
  }
  check_positions("profile", positions_needed(options), options.engine);
  const WorkReply untraced = untraced_work(options, common);
  EngineSession engine = open_engine(options.engine, common);
  const WorkRequest request = request_of(options, engine);
  const bool decode = options.phase == "decode";
  const bool replays = decode && options.engine.graphs;
  const std::string work =
      decode ? fmt::format("decode {} at {}{}", options.steps, request.prompt.size(),
                           options.engine.graphs ? "" : " without a graph")
             : fmt::format("prefill {}", options.tokens);
  ProfileReply reply = value_or_throw(engine.worker.profile(request));
  reply.untraced = untraced;
  const ProfileView view{.reply = reply,
                         .device = engine.device.device_name,
                         .ceilings = find_device_ceilings(engine.device.device_name),
                         .steps = decode ? options.steps : 1,
                         .step = decode ? "step" : "prompt"};
  if (!common.json) print(view, engine, work);
  const std::string fault = liveness_of(reply, engine, request, replays);
  if (common.json) std::cout << as_json(view, engine, work, fault).dump(2) << std::endl;
  if (!fault.empty()) throw Error(ErrorKind::kBaseline, "profile: liveness: " + fault);
  if (!common.json) {
    std::cout << fmt::format("liveness: {} variants, counters and trace agree{}\n",
                             reply.variants.size(),
                             replays ? ", replayed and launched one by one" : "");
  }
  refuse_nonfinite(reply.traced.nonfinite);
  return 0;
}

}  // namespace

Action define_profile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("-m,--model", options->engine.model,
                 "a GGUF file, embedded (default), or synth:SHAPE-QUANT")
      ->type_name("MODEL");
  app.add_option("--backend", options->engine.backend, "cuda (default), the one that can be traced")
      ->type_name("B");
  app.add_option("--context", options->engine.context,
                 "positions of the cache (default 0: the model's own, at most 4096)")
      ->type_name("N")
      ->transform(whole_number(0, kMostPositions));
  app.add_option("--phase", options->phase, "prefill or decode (default)")
      ->check(CLI::IsMember({"prefill", "decode"}));
  const CLI::Option* tokens =
      app.add_option("--tokens", options->tokens, "prefill: rows of the prompt (default 512)")
          ->type_name("N")
          ->transform(whole_number(1, kMostPositions));
  const std::vector<const CLI::Option*> of_decode = {
      app.add_option("--depth", options->depth,
                     "decode: positions before the first step (default 128)")
          ->type_name("N")
          ->transform(whole_number(0, kMostPositions)),
      app.add_option("--steps", options->steps, "decode: steps (default 16)")
          ->type_name("N")
          ->transform(whole_number(1, kMostSteps)),
      add_no_graph(app, options->engine)};
  app.add_option("--override", options->overrides,
                 "let this variant serve the op (may be repeated), as rope=rope.cuda.pairs")
      ->type_name("OP=VARIANT")
      ->expected(1)
      ->take_all();
  return [options, tokens, of_decode](const CommonOptions& common) {
    if (tokens->count() > 0) options->prefill_flag = tokens->get_name();
    for (const CLI::Option* option : of_decode) {
      if (option->count() > 0) options->decode_flag = option->get_name();
    }
    return act(*options, common);
  };
}

}  // namespace assay
