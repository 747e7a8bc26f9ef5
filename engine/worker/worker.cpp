#include "engine/worker/worker.h"

#include <fmt/format.h>
#include <new>

#include "engine/core/error.h"
#include "engine/protocol/request_fields.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr const char* kKnown =
    "hello, load, tokenize, detokenize, work, plan, profile, kernel_cases, resources, health";

std::string text_of(const Json& json) {
  // A model's name or a token may hold bytes that are no UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string error_text(ErrorKind kind, const std::string& message) {
  return text_of({{"error", {{"kind", static_cast<int>(kind)}, {"message", message}}}});
}

std::string name_of(const Json& request) {
  const auto name = request.find("request");
  if (name == request.end()) {
    throw Error(ErrorKind::kUsage, fmt::format("request: no field 'request'; known: {}", kKnown));
  }
  if (!name->is_string()) {
    throw Error(ErrorKind::kUsage, "request: the field 'request' is not a string");
  }
  return name->get<std::string>();
}

}  // namespace

std::string Worker::answer(std::string_view line) {
  ++served_;
  progress_.bump();
  try {
    const Json request = parse_request(line);
    const std::string name = name_of(request);
    Json reply = dispatch(name, request);
    reply["reply"] = name;
    return text_of(reply);
  } catch (const Error& error) {
    return error_text(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return error_text(ErrorKind::kEnvironment, "out of memory; ask for less context");
  } catch (const std::exception& error) {
    return error_text(ErrorKind::kInternal, error.what());
  }
}

std::string Worker::refuse_long_line() {
  ++served_;
  progress_.bump();
  return error_text(ErrorKind::kUsage, "request: the line is longer than 64 MiB");
}

Json Worker::dispatch(const std::string& name, const Json& request) {
  if (name == "hello") {
    check_fields(name, request, Json::object());
    return hello();
  }
  if (name == "health") {
    check_fields(name, request, Json::object());
    return health();
  }
  if (name == "load") return load(read_request<LoadRequest>(name, request));
  if (name == "tokenize") return tokenize(read_request<TokenizeRequest>(name, request));
  if (name == "detokenize") return detokenize(read_request<DetokenizeRequest>(name, request));
  if (name == "work") return work(read_request<WorkRequest>(name, request));
  if (name == "plan") return plan(read_request<WorkRequest>(name, request));
  if (name == "profile") return profile(read_request<WorkRequest>(name, request));
  if (name == "kernel_cases") {
    return kernel_cases(read_request<KernelCasesRequest>(name, request));
  }
  if (name == "resources") return resources(read_request<ResourcesRequest>(name, request));
  throw Error(ErrorKind::kUsage,
              fmt::format("request: '{}' is not known; known: {}", shown(name), kKnown));
}

const LoadedModel& Worker::loaded(const std::string& request) const {
  if (model_) return *model_;
  throw Error(ErrorKind::kUsage, fmt::format("{}: no model is loaded; send `load` first", request));
}

}  // namespace assay
