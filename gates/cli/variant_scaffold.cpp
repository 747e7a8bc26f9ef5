#include "gates/cli/variant_scaffold.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "experiments/nearest_name.h"
#include "gates/cli/file_text.h"
#include "gates/cli/source_edit.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = "assay new variant";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, message);
}

// What both ids must be for anything to be planned.
struct Request {
  VariantName id, from;
  const VariantInfo* from_info;
  bool new_mechanism;
};

// The least device for a mechanism's name: file names decide which instructions a file may use.
CpuLevel level_of(const std::string& mechanism) {
  if (mechanism.starts_with("avx512vnni")) return CpuLevel::kAvx512Vnni;
  return mechanism.starts_with("avx2") ? CpuLevel::kAvx2 : CpuLevel::kPortable;
}

std::string_view level_name(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512Vnni:
      return "CpuLevel::kAvx512Vnni";
    case CpuLevel::kAvx2:
      return "CpuLevel::kAvx2";
    default:
      return "CpuLevel::kPortable";
  }
}

const VariantInfo& known_variant(const std::string& id) {
  if (const VariantInfo* info = find_variant(id)) return *info;
  std::vector<std::string_view> names;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) names.push_back(info.id);
  }
  refuse(fmt::format("--from {}: no such variant{}", id,
                     suggestion(id, names, "`assay levers` lists them")));
}

Request checked(const std::string& id, const std::string& from) {
  const VariantInfo& info = known_variant(from);
  const std::optional<VariantName> name = parse_variant_id(id);
  if (!name) {
    refuse(
        fmt::format("{}: not a variant's id; it has the form op.backend.mechanism[key=value,...], "
                    "as {} has",
                    id, from));
  }
  if (find_variant(id) != nullptr)
    refuse(id + ": exists already; choose another mechanism or value");
  const VariantName old_name = *parse_variant_id(from);
  if (name->op != old_name.op || name->backend != old_name.backend) {
    refuse(fmt::format("{} starts from {}: op and backend must be the same ({}.{})", id, from,
                       old_name.op, old_name.backend));
  }
  const bool new_mechanism = name->mechanism != old_name.mechanism;
  if (name->backend == "cpu" && !offers(level_of(name->mechanism), info.needs)) {
    const std::string level = device_key(info.needs).substr(4);
    refuse(
        fmt::format("{} uses more than plain C++, and a file's name says which instructions it "
                    "may use: begin the mechanism with {}, as {}_{}",
                    from, level, level, name->mechanism));
  }
  return {*name, old_name, &info, new_mechanism};
}

// "kernels/matvec/cpu_portable_q4k.cpp" and portable -> two_rows: ".../cpu_two_rows_q4k.cpp"
std::string mechanism_file(const Request& request) {
  const std::string source(request.from_info->source);
  if (!request.new_mechanism) return source;
  const std::size_t slash = source.rfind('/') + 1;
  const std::string start = request.from.backend + "_" + request.from.mechanism;
  const std::string name = source.substr(slash);
  if (!name.starts_with(start)) {
    refuse(fmt::format("{}: the file of a mechanism should be named {}*.cpp: copy it by hand",
                       source, start));
  }
  return source.substr(0, slash) + request.id.backend + "_" + request.id.mechanism +
         name.substr(start.size());
}

std::string changed_mechanism(const std::string& text, const Request& request) {
  const std::string source(request.from_info->source);
  std::vector<VariantLine> lines = variant_lines(text);
  const auto own = std::find_if(lines.begin(), lines.end(), [&](const VariantLine& line) {
    return line.symbol == request.from_info->symbol;
  });
  if (own == lines.end()) {
    refuse(fmt::format("{}: no line ASSAY_VARIANT({}, ...) to start from", source,
                       request.from_info->symbol));
  }
  VariantLine fresh = *own;
  fresh.symbol = launch_symbol(request.id);
  const std::optional<std::string> function =
      with_parameters(own->function, request.from, request.id);
  if (!function && !request.new_mechanism) {
    refuse(
        fmt::format("{}: {} does not take its parameters as template arguments, so a point of the "
                    "same mechanism cannot be made from it: write its ASSAY_VARIANT line by hand, "
                    "or start a new mechanism",
                    source, own->function));
  }
  if (function) fresh.function = *function;
  if (!request.new_mechanism) {
    return text.substr(0, own->end) + "\n" + to_string(fresh) + text.substr(own->end);
  }
  std::string kept = text;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    std::size_t end = line->end;
    if (line->symbol == own->symbol) {
      kept.replace(line->begin, end - line->begin, to_string(fresh));
    } else {
      if (end < kept.size() && kept[end] == '\n') ++end;
      kept.erase(line->begin, end - line->begin);
    }
  }
  return with_namespace(kept, request.from.mechanism, request.id.mechanism);
}

void replace_once(std::string& text, std::string_view old_text, std::string_view new_text) {
  const std::size_t at = text.find(old_text);
  if (at != std::string::npos) text.replace(at, old_text.size(), new_text);
}

std::string changed_infos(const std::string& text, const Request& request, const std::string& file,
                          const std::string& source) {
  std::size_t at = 0;
  const std::string from(request.from_info->id);
  std::string entry = info_entry(text, from, file, &at);
  const auto quoted = [](std::string_view word) { return fmt::format("\"{}\"", word); };
  replace_once(entry, quoted(from), quoted(to_string(request.id)));
  replace_once(entry, quoted(request.from_info->symbol), quoted(launch_symbol(request.id)));
  replace_once(entry, quoted(request.from_info->source), quoted(source));
  if (request.id.backend == "cpu") {
    replace_once(entry, level_name(static_cast<CpuLevel>(request.from_info->needs.level)),
                 level_name(level_of(request.id.mechanism)));
  }
  replace_once(entry, quoted(request.from_info->summary),
               quoted(fmt::format("copied from {}: say here what it does", from)));
  return inserted_above(text, kMarker, at, "    " + entry + ",\n", file);
}

std::string definition_text(const VariantPlan& plan, const Request& request) {
  std::string lever = request.id.op + ".mechanism";
  for (std::size_t i = 0; !request.new_mechanism && i < request.id.params.size(); ++i) {
    if (request.id.params[i] == request.from.params[i]) continue;
    lever = request.id.op + "." + request.id.params[i].first;
    break;
  }
  const bool prefill = find_op(request.id.op)->op.phase == Phase::kPrefill;
  return fmt::format(
      "# Begun by `assay new variant`. To be written: title and hypothesis, your prediction under\n"
      "# `expect`. `assay propose` refuses this file until the hypothesis is there.\n"
      "slug: {}\n"
      "title: \"{} instead of {}\"\n"
      "lever: {}\n"
      "class: bitwise              # the same bits as in service; nothing else can be judged yet\n"
      "hypothesis:                 # TO BE WRITTEN: why should it be faster?\n"
      "candidate: {{{}: \"{}\"}}\n"
      "workloads: [{{model: embedded, phase: {}}}]\n"
      "bar: 5%                     # what it must be worth to land\n"
      "expect: {{wall: 10%}}         # TO BE WRITTEN: your prediction for the whole step\n"
      "retry_when:\n",
      plan.slug, to_string(request.id), request.from_info->id, lever, request.id.op,
      to_string(request.id), prefill ? "prefill, tokens: 128" : "decode, depth: 128, steps: 32");
}

// Files of a plan by path, each read once and edited in turn.
class Draft {
 public:
  explicit Draft(const std::string& root) : root_(root) {}

  std::string& edit(const std::string& path) {
    PlannedFile& file = files_[path];
    if (file.path.empty()) {
      file.before = file.after = read_text_file(root_ + "/" + path);
      file.path = path;
    }
    return file.after;
  }
  void create(const std::string& path, std::string text) {
    if (fs::exists(root_ + "/" + path)) refuse(path + ": exists already; nothing was written");
    files_[path] = {.path = path, .fresh = true, .before = {}, .after = std::move(text)};
  }
  std::vector<PlannedFile> files() const {
    std::vector<PlannedFile> all;
    for (const auto& [path, file] : files_) all.push_back(file);
    return all;
  }

 private:
  std::string root_;
  std::map<std::string, PlannedFile> files_;
};

}  // namespace

VariantPlan plan_variant(const std::string& root, const std::string& id, const std::string& from) {
  const Request request = checked(id, from);
  VariantPlan plan;
  plan.new_mechanism = request.new_mechanism;
  plan.slug = launch_symbol(request.id);
  std::replace(plan.slug.begin(), plan.slug.end(), '_', '-');
  plan.mechanism_file = mechanism_file(request);
  plan.definition_file = "experiments/definitions/" + plan.slug + ".yaml";
  Draft draft(root);

  const std::string source(request.from_info->source);
  const bool portable = level_of(request.id.mechanism) == CpuLevel::kPortable;
  if (request.new_mechanism) {
    draft.create(plan.mechanism_file,
                 changed_mechanism(read_text_file(root + "/" + source), request));
    const std::string list = "kernels/cpu_sources.cmake";
    std::string& cmake = draft.edit(list);
    cmake = inserted_above(
        cmake,
        portable ? "assay new variant adds portable lines above"
                 : "assay new variant adds lines above",
        0, "  " + plan.mechanism_file.substr(std::string("kernels/").size()) + "\n", list);
  } else {
    std::string& mechanism = draft.edit(source);
    mechanism = changed_mechanism(mechanism, request);
  }
  const std::string infos = source.substr(0, source.rfind('/')) + "/variants.cpp";
  std::string& entries = draft.edit(infos);
  entries = changed_infos(entries, request, infos, plan.mechanism_file);
  const std::string registry =
      portable ? "kernels/registry_cpu_portable.inc" : "kernels/registry_cpu_x86.inc";
  std::string& linked = draft.edit(registry);
  linked = inserted_above(linked, kMarker, 0,
                          fmt::format("ASSAY_LINKED({})\n", launch_symbol(request.id)), registry);
  draft.create(plan.definition_file, definition_text(plan, request));
  plan.files = draft.files();
  return plan;
}

void write_plan(const std::string& root, const VariantPlan& plan) {
  std::vector<const PlannedFile*> done;
  try {
    for (const PlannedFile& file : plan.files) {
      const std::string path = root + "/" + file.path;
      if (file.fresh) {
        write_new_file(path, file.after);
      } else {
        replace_file(path, file.after);
      }
      done.push_back(&file);
    }
  } catch (const Error&) {
    for (const PlannedFile* file : done) {
      if (file->fresh) {
        fs::remove(root + "/" + file->path);
      } else {
        replace_file(root + "/" + file->path, file->before);
      }
    }
    throw;
  }
}

}  // namespace assay
