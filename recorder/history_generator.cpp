// For measuring at scale: fills a new workspace with N experiments of 100 samples each, made from
// the committed records of this project. Each is one of them under its own slug, title and dates,
// with other words in its hypothesis and notes, and with replications (runs of `reproduce`, whose
// pairs are pooled with nothing) until it has 100 samples. So verdicts follow from their samples
// and `assay check` is green.
//
//   history_generator SOURCE_ROOT NEW_FOLDER N [SEED]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "experiments/definition.h"
#include "recorder/document.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kSamples = 100;
constexpr std::array kNouns{"tile",           "panel",       "warp",     "register", "cache line",
                            "fence",          "prefetch",    "plane",    "stripe",   "operand",
                            "staging buffer", "scale block", "epilogue", "barrier",  "bank",
                            "unroll",         "accumulator", "row block"};
constexpr std::array kVerbs{"hides", "halves",   "doubles",  "spills", "serialises", "splits",
                            "fuses", "reorders", "overlaps", "evicts", "widens",     "misses"};
constexpr std::array kDevices{"NVIDIA H200", "NVIDIA H100 PCIe", "NVIDIA L40S", "AMD EPYC",
                              "NVIDIA GeForce RTX 4090"};

class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string sentence() {
    return fmt::format("The {} {} the {} of the {} at depth {}.", kNouns[below(kNouns.size())],
                       kVerbs[below(kVerbs.size())], kNouns[below(kNouns.size())],
                       kNouns[below(kNouns.size())], 128 * (1 + below(64)));
  }
  std::string paragraph(int sentences) {
    std::string text;
    for (int i = 0; i < sentences; ++i) text += (i == 0 ? "" : " ") + sentence();
    return text;
  }
  std::string id() {
    std::string out;
    for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", static_cast<std::uint32_t>(random_()));
    return out;
  }

 private:
  std::mt19937_64 random_;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  if (!(std::ofstream(path, std::ios::binary) << text)) throw std::runtime_error("cannot write");
}

std::vector<Store::ImportedExperiment> templates(const fs::path& source) {
  std::vector<Store::ImportedExperiment> out;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source / "results/records")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    Store::ImportedExperiment experiment = read_record_text(read(file), file.stem().string());
    const auto three_arms = [](const auto& run) {
      return std::any_of(run.second.begin(), run.second.end(), [](const Event& event) {
        return event.kind == EventKind::kSample &&
               event.body.at("labels").template get<std::string>().find('C') != std::string::npos;
      });
    };
    const bool verdict =
        std::any_of(experiment.runs.begin(), experiment.runs.end(), [](const auto& run) {
          return std::any_of(run.second.begin(), run.second.end(),
                             [](const Event& event) { return event.kind == EventKind::kVerdict; });
        });
    // Pairs of three arms are nine times as long as the others, and rare.
    if (!verdict || std::any_of(experiment.runs.begin(), experiment.runs.end(), three_arms))
      continue;
    out.push_back(std::move(experiment));
  }
  return out;
}

// "2026-03-07T10:11:12.345Z" moved back by some days: another date, in the same order within a run.
std::string moved(const std::string& at, int day) {
  return fmt::format("20{:02}-{:02}-{:02}{}", 10 + day / 336 % 16, 1 + day / 28 % 12, 1 + day % 28,
                     at.substr(10));
}

std::string with_line(const std::string& yaml, const std::string& key, const std::string& value) {
  const std::size_t at = yaml.starts_with(key + ":") ? 0 : yaml.find("\n" + key + ":");
  if (at == std::string::npos) return yaml;
  const std::size_t start = at == 0 ? 0 : at + 1;
  std::size_t end = yaml.find('\n', start);
  while (end != std::string::npos && end + 1 < yaml.size() && yaml[end + 1] == ' ') {
    end = yaml.find('\n', end + 1);
  }
  return yaml.substr(0, start) + key + ": " + value +
         (end == std::string::npos ? "\n" : yaml.substr(end));
}

class Generator {
 public:
  Generator(Store& store, fs::path root, std::vector<Store::ImportedExperiment> models,
            unsigned seed)
      : store_(store), root_(std::move(root)), models_(std::move(models)), author_(seed) {}

  // The service map as it is after all LANDs: each row by the last one that landed it.
  void write_map() {
    const fs::path path = root_ / "experiments/in_service.yaml";
    std::string text = read(path);
    for (const auto& [model, last] : last_) {
      const std::string before = "by: " + model + "}";
      for (std::size_t at = text.find(before); at != std::string::npos;
           at = text.find(before, at)) {
        text.replace(at, before.size(), "by: " + last.second + "}");
      }
    }
    write(path, text);
  }

  void make(int number) {
    const Store::ImportedExperiment& model =
        models_[static_cast<std::size_t>(number - 1) % models_.size()];
    slug_ = fmt::format("{}-{}", model.label.slug, number);
    model_slug_ = model.label.slug;
    number_ = number;
    device_ = kDevices[author_.below(kDevices.size())];
    day_ = number % 5000;
    Store::ImportedExperiment out{{number, slug_}, {}, model.blobs};
    int samples = 0;
    std::vector<Json> pairs;
    for (const auto& [run, events] : model.runs) {
      std::vector<Event> copy = events;
      for (Event& event : copy) {
        adapt(event);
        if (event.kind != EventKind::kSample) continue;
        ++samples;
        pairs.push_back(event.body);
      }
      add(out, std::move(copy));
    }
    if (!pairs.empty()) add(out, replication(model, pairs, kSamples - samples));
    store_.import_experiment(out);
    write_notes(out);
  }

 private:
  // What it supersedes was made from the same round of models, before it.
  std::string with_earlier(const std::string& yaml) const {
    const std::string earlier = parse_definition(yaml, slug_).supersedes;
    if (earlier.empty()) return yaml;
    const auto at = [&](const std::string& slug) {
      return std::find_if(models_.begin(), models_.end(),
                          [&](const auto& model) { return model.label.slug == slug; });
    };
    const auto number = number_ - (at(model_slug_) - at(earlier));
    return with_line(yaml, "supersedes", fmt::format("{}-{}", earlier, number));
  }

  void adapt(Event& event) {
    event.at = moved(event.at, day_);
    if (event.kind == EventKind::kProposed) {
      std::string yaml = event.body.at("definition").get<std::string>();
      yaml = with_line(yaml, "slug", slug_);
      yaml = with_line(yaml, "title", Json(author_.sentence()).dump());
      yaml = with_line(yaml, "hypothesis", Json(author_.paragraph(3)).dump());
      yaml = with_line(yaml, "background", Json(author_.paragraph(5)).dump());
      yaml = with_earlier(yaml);
      event.body["definition"] = yaml;
      event.body["definition_sha256"] = sha256_hex(yaml);
    }
    if (event.kind == EventKind::kVerdict) {
      for (Json& intent : event.body.at("intents")) {
        const std::string before = intent.at("after_text").get<std::string>();
        std::string after = before;
        for (std::size_t at = after.find(model_slug_); at != std::string::npos;
             at = after.find(model_slug_, at + slug_.size())) {
          after.replace(at, model_slug_.size(), slug_);
        }
        intent["after_text"] = after;
        after_ = {sha256_hex(before), sha256_hex(after)};
      }
    }
    if (event.kind == EventKind::kApplied) {
      auto& last = last_[model_slug_];
      if (event.at >= last.first) last = {event.at, slug_};
    }
    if (event.kind == EventKind::kApplied && event.body.at("after_sha256") == after_.first) {
      event.body["after_sha256"] = after_.second;
    }
    if (event.kind == EventKind::kRunOpened && event.body.at("command") == "run") {
      event.body["provenance"]["device"] = device_;
    }
  }

  std::vector<Event> replication(const Store::ImportedExperiment& model,
                                 const std::vector<Json>& pairs, int count) {
    std::vector<Event> events;
    const Event& opening = model.runs.back().second.front();
    const std::string at = moved(opening.at, day_ + 1);
    Json opened = opening.body;
    opened["command"] = "reproduce";
    opened["argv"] = fmt::format("assay reproduce {}", slug_);
    events.push_back({slug_, "", 0, EventKind::kRunOpened, at, opened});
    for (int i = 0; i < count; ++i) {
      Json pair = pairs[static_cast<std::size_t>(i) % pairs.size()];
      pair["stage"] = "ab";
      pair["ordinal"] = i;
      events.push_back({slug_, "", 0, EventKind::kSample, at, pair});
    }
    const RunEnded ended{"green", 0, "the effect was seen again: " + author_.sentence()};
    events.push_back({slug_, "", 0, EventKind::kRunEnded, at, ended});
    return events;
  }

  void add(Store::ImportedExperiment& out, std::vector<Event> events) {
    const std::string previous = out.runs.empty() ? "" : out.runs.back().first.seal;
    Store::StoredRun run{author_.id(), slug_, "", previous, static_cast<int>(out.runs.size())};
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].slug = slug_;
      events[i].run = run.id;
      events[i].index = static_cast<int>(i);
    }
    run.seal = seal_of(previous, events);
    out.runs.emplace_back(std::move(run), std::move(events));
  }

  void write_notes(const Store::ImportedExperiment& experiment) {
    std::vector<Event> all;
    for (const auto& [run, events] : experiment.runs)
      all.insert(all.end(), events.begin(), events.end());
    const ExperimentView view = fold(all);
    if (view.state != ExperimentState::kReverted && author_.below(2) == 0) return;
    write(root_ / "experiments/notes" / (slug_ + ".md"),
          fmt::format("# Notes on {}\n\n## Lessons\n\n{}\n\n## Veto mechanism\n\n{}\n\n## Retry "
                      "condition\n\n{}\n\n## Corrections\n",
                      slug_, author_.paragraph(4), author_.paragraph(2), author_.sentence()));
  }

  Store& store_;
  fs::path root_;
  std::vector<Store::ImportedExperiment> models_;
  Author author_;
  std::map<std::string, std::pair<std::string, std::string>> last_;  // model -> its last LAND
  int number_ = 0;
  std::string slug_, model_slug_, device_;
  std::pair<std::string, std::string> after_;  // hashes of the landed map: the model's, this one's
  int day_ = 0;
};

int generate(const fs::path& source, const fs::path& root, int count, unsigned seed) {
  if (fs::exists(root)) throw std::runtime_error(root.string() + " is there already");
  fs::create_directories(root / "experiments/notes");
  fs::create_directories(root / "results/records");
  for (const char* map : {"in_service.yaml", "seeds.yaml"}) {
    if (!fs::exists(source / "experiments" / map)) continue;
    fs::copy_file(source / "experiments" / map, root / "experiments" / map);
  }
  Store store((root / "results/assay.db").string());
  Generator generator(store, root, templates(source), seed);
  constexpr int kAtOnce = 200;
  for (int number = 1; number <= count;) {
    store.together([&] {
      for (int i = 0; i < kAtOnce && number <= count; ++i) generator.make(number++);
    });
    std::cerr << fmt::format("\r{} of {} experiments", number - 1, count) << std::flush;
  }
  generator.write_map();
  std::cerr << "\n";
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::cerr << "usage: history_generator SOURCE_ROOT NEW_FOLDER N [SEED]\n";
    return 2;
  }
  try {
    return assay::generate(argv[1], argv[2], std::stoi(argv[3]),
                           argc == 5 ? static_cast<unsigned>(std::stoul(argv[4])) : 1);
  } catch (const std::exception& error) {
    std::cerr << "history_generator: " << error.what() << "\n";
    return 1;
  }
}
