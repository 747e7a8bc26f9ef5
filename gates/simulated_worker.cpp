// A worker without an engine, for the tests of the gates: it speaks the protocol, and everything
// that it says follows from the request, the loaded service selection and a scenario.
//
// The scenario is `<own path>.scenario.json`, read at start, so that a test may change it between
// two processes:
//
//   {"hello": {...HelloReply...}, "base_ns": 100000, "noise": 0.002, "nondeterministic": false,
//    "backend": "cpu" (any other in a load is refused), "claims_ns": 0, "sleep_us": 0,
//    "case_budget": 0.001, "launch_noise": 0, "seed": 0,
//    "slow": {"from": 0, "to": 4, "factor": 1.3}, "variants": {ID: {...}}}
//
// "noise" is of each request, "launch_noise" of all requests of a process; both are uniform and
// follow from "seed" and the process's number. "slow" makes the requests [from, to) of a process
// slower: it starts on an idle clock, or something else runs beside it for a while.
//
// Properties of a variant, in force where it serves the work at hand:
//   "bits", "tokens"       changes the logits' digests; the tokens as well
//   "forced_argmax"        changes the argmax of forced steps only
//   "nonfinite", "forced_nonfinite"  how many values were not finite, in any work or forced work
//   "factor", "decode_factor"  of the time (of both phases; of decode)
//   "falls_back_to"        its launcher calls this one, and the counters say so
//   "case_bits", "case_value", "guard", "repeats"  in kernel_cases: other output bytes; added to a
//                          value (a number, or "nan"); overwritten guard; bits that change
//   "end_in", "end_by"     in this request it ends by "exit", "hang", or a signal number; "refuse",
//                          "fail", "unfit": it answers with an error (bad input, internal,
//                          environment) and lives on
//
// Times are claimed, never spent. A pair's noise must differ between pairs, and processes know
// nothing of pairs, so each process takes a number from `<own path>.launches` as it starts.
// Rejected: noise by clock or process id, which no test could repeat.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/error.h"
#include "engine/core/mix64.h"
#include "engine/core/sha256.h"
#include "engine/protocol/messages.h"

namespace assay {
namespace {

constexpr int kVocab = 512;
constexpr int kContext = 512;
constexpr int kLayers = 2;

std::uint64_t mix(std::uint64_t state) {
  return mix64(state + kMix64Step);
}

std::uint64_t hash(const std::string& text) {
  std::uint64_t state = 7;
  for (const char c : text) state = mix(state ^ static_cast<unsigned char>(c));
  return state;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// By name alone: the gates' own facts of an op come from elsewhere and must agree.
bool serves_prefill(const std::string& op) {
  return op.rfind("matvec", 0) != 0 && !ends_with(op, "_decode");
}
bool serves_decode(const std::string& op) {
  return op.rfind("matmul", 0) != 0 && !ends_with(op, "_prefill");
}

class SimulatedWorker {
 public:
  explicit SimulatedWorker(const std::string& path) {
    std::ifstream(path + ".scenario.json") >> scenario_;
    launch_ = take_number(path + ".launches");
    seed_ = scenario_.value("seed", std::uint64_t{0});
  }

  nlohmann::json answer(const nlohmann::json& request) {
    const std::string name = request.at("request");
    nlohmann::json reply;
    if (name == "hello") reply = scenario_.at("hello");
    if (name == "load") reply = load(request.get<LoadRequest>());
    if (name == "work") reply = work(request.get<WorkRequest>());
    if (name == "plan") reply = plan(request.get<WorkRequest>());
    if (name == "kernel_cases") reply = kernel_cases(request.get<KernelCasesRequest>());
    if (reply.is_null()) throw Error(ErrorKind::kUsage, "the simulation knows no " + name);
    reply["reply"] = name;
    return reply;
  }

 private:
  // Arms start at the same time, and no two may have the same number.
  static std::uint64_t take_number(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || flock(file, LOCK_EX) != 0) return 0;
    char text[32] = {};
    const ssize_t read = pread(file, text, sizeof(text) - 1, 0);
    const std::uint64_t number = read > 0 ? std::strtoull(text, nullptr, 10) : 0;
    const std::string next = std::to_string(number + 1);
    const bool written = pwrite(file, next.data(), next.size(), 0) > 0;
    close(file);  // and with it the lock
    return written ? number : 0;
  }

  nlohmann::json property(const std::string& id, const std::string& name) const {
    const auto& variants = scenario_.at("variants");
    const auto at = variants.find(id);
    return at == variants.end() ? nlohmann::json() : at->value(name, nlohmann::json());
  }

  // Ends this process, or the request, where a scenario says that the variant does so here.
  void perhaps_end(const std::string& id, const std::string& request) const {
    if (property(id, "end_in") != request) return;
    const nlohmann::json by = property(id, "end_by");
    std::cerr << "ending in " << request << std::endl;
    if (by == "exit") _exit(3);
    if (by == "hang") {
      while (true) pause();
    }
    if (by == "refuse") throw Error(ErrorKind::kUsage, id + " refuses " + request);
    if (by == "fail") throw Error(ErrorKind::kInternal, id + " fails in " + request);
    if (by == "unfit") throw Error(ErrorKind::kEnvironment, id + " has no memory to " + request);
    signal(by.get<int>(), SIG_DFL);
    raise(by.get<int>());
  }

  LoadReply load(const LoadRequest& request) {
    const std::string backend = scenario_.value("backend", "cpu");
    if (request.backend != backend) {
      throw Error(ErrorKind::kUsage,
                  "load on backend " + request.backend + ", expected " + backend);
    }
    service_ = request.service;
    for (const std::string& id : selected()) perhaps_end(id, "load");
    LoadReply reply;
    reply.name = "simulated";
    reply.architecture = "qwen2";
    reply.sha256 = sha256_hex(request.model);
    reply.layers = kLayers;
    reply.vocab = kVocab;
    reply.context = kContext;
    reply.threads = request.threads;
    return reply;
  }

  std::set<std::string> selected() const {
    std::set<std::string> ids;
    for (const auto& [op, rows] : service_) {
      for (const ServiceRow& row : rows) ids.insert(row.variant);
    }
    return ids;
  }

  // The launches of one pass over the graph: every op of the phase, once per layer.
  void count_pass(bool prefill, const Problem& problem, Counts& counts) const {
    for (const auto& [op, rows] : service_) {
      if (prefill ? !serves_prefill(op) : !serves_decode(op)) continue;
      const ServiceRow* row = select_row(rows, problem);
      if (row != nullptr) counts[row->variant] += kLayers;
    }
  }

  PlanReply plan(const WorkRequest& request) const {
    PlanReply reply;
    const int rows = static_cast<int>(request.prompt.size());
    count_pass(true, {rows, rows}, reply.prefill_counts);
    for (int step = 0; step < request.steps; ++step) {
      count_pass(false, {1, rows + step + 1}, reply.decode_counts);
    }
    return reply;
  }

  Counts counted(const Counts& planned) const {
    Counts counts;
    for (const auto& [id, times] : planned) {
      const nlohmann::json other = property(id, "falls_back_to");
      counts[other.is_string() ? other.get<std::string>() : id] += times;
    }
    return counts;
  }

  // All texts that the variants of these counts give for a property.
  std::string tags(const Counts& counts, const std::string& name) const {
    std::string all;
    for (const auto& [id, times] : counts) {
      const nlohmann::json tag = property(id, name);
      if (tag.is_string()) all += tag.get<std::string>() + "\n";
    }
    return all;
  }

  std::uint64_t nonfinite(const Counts& counts, bool forced) const {
    std::uint64_t sum = 0;
    for (const auto& [id, times] : counts) {
      for (const char* name : {"nonfinite", "forced_nonfinite"}) {
        const nlohmann::json own = property(id, name);
        const bool counts_here = forced || std::string(name) == "nonfinite";
        if (own.is_number() && counts_here) sum += own.get<std::uint64_t>();
      }
    }
    return sum;
  }

  double factor(const Counts& counts, bool decode) const {
    double product = 1;
    for (const auto& [id, times] : counts) {
      nlohmann::json own = decode ? property(id, "decode_factor") : nlohmann::json();
      if (own.is_null()) own = property(id, "factor");
      if (own.is_number()) product *= own.get<double>();
    }
    return product;
  }

  // Uniform in [-1, 1), from the launch number and the request's place in the process.
  double draw() { return uniform(launch_ * 100003 + served_); }

  double uniform(std::uint64_t state) const {
    return std::ldexp(static_cast<double>(mix(state + seed_ * 7919)), -63) - 1;
  }

  // What all requests of this process have in common, times what is going on beside this one.
  double surroundings() const {
    const double launch =
        scenario_.value("launch_noise", 0.0) * uniform(launch_ * 99991 + 50000017);
    const auto slow = scenario_.find("slow");
    const bool now = slow != scenario_.end() && served_ > slow->at("from").get<std::uint64_t>() &&
                     served_ <= slow->at("to").get<std::uint64_t>();
    return (1 + launch) * (now ? slow->at("factor").get<double>() : 1.0);
  }

  void add_row(WorkReply& reply, std::uint64_t state, const std::string& bits, bool other) const {
    reply.top.push_back(static_cast<std::int32_t>((state + (other ? 1 : 0)) % kVocab));
    reply.margins.push_back(0.05F + static_cast<float>(state % 100) / 100);
    reply.digests.push_back(sha256_hex(std::to_string(state) + bits).substr(0, 32));
  }

  WorkReply work(const WorkRequest& request) {
    ++served_;
    const PlanReply planned = plan(request);
    Counts all = planned.prefill_counts;
    all.insert(planned.decode_counts.begin(), planned.decode_counts.end());
    for (const auto& [id, times] : all) perhaps_end(id, "work");
    WorkReply reply;
    stream(request, all, reply);
    reply.nonfinite = nonfinite(all, !request.forced.empty());
    const bool decode = request.phase == "decode";
    reply.prefill_reused = decode && request.prompt == cached_;
    cached_ = request.prompt;
    if (!reply.prefill_reused) reply.prefill_counts = counted(planned.prefill_counts);
    reply.decode_counts = counted(planned.decode_counts);
    const double base = scenario_.value("base_ns", 100000.0);
    const double noise = (1 + scenario_.value("noise", 0.0) * draw()) * surroundings();
    const auto took = [&](const Counts& counts, bool is_decode) {
      return static_cast<std::int64_t>(std::llround(base * factor(counts, is_decode) * noise));
    };
    if (!reply.prefill_reused) reply.prefill_ns = took(planned.prefill_counts, false);
    if (request.steps > 0) reply.decode_ns = took(planned.decode_counts, true);
    if (scenario_.value("claims_ns", std::int64_t{0}) > 0) {
      (decode ? reply.decode_ns : reply.prefill_ns) = scenario_.at("claims_ns");
    }
    reply.elapsed_ns = decode ? reply.decode_ns : reply.prefill_ns;
    usleep(scenario_.value("sleep_us", 0U));
    return reply;
  }

  void stream(const WorkRequest& request, const Counts& counts, WorkReply& reply) const {
    const std::string bits = tags(counts, "bits");
    const bool other = !tags(counts, "forced_argmax").empty();
    std::uint64_t state = hash(tags(counts, "tokens"));
    if (scenario_.value("nondeterministic", false)) state = mix(state + launch_);
    for (std::size_t i = 0; i < request.prompt.size(); ++i) {
      state = mix(state ^ static_cast<std::uint64_t>(request.prompt[i]));
      if (request.all_rows || i + 1 == request.prompt.size()) add_row(reply, state, bits, false);
    }
    for (int step = 0; step < request.steps; ++step) {
      const bool forced = !request.forced.empty();
      const std::int32_t token =
          forced ? request.forced[static_cast<std::size_t>(step)] : reply.top.back();
      reply.tokens.push_back(token);
      state = mix(state ^ static_cast<std::uint64_t>(token));
      add_row(reply, state, bits, forced && other);
    }
    std::string all;
    for (const std::string& digest : reply.digests) all += digest;
    for (const std::int32_t token : reply.tokens) all += std::to_string(token) + " ";
    reply.digest = sha256_hex(all).substr(0, 32);
  }

  KernelCasesReply kernel_cases(const KernelCasesRequest& request) const {
    constexpr std::size_t kValues = 8;  // per case
    const std::string& id = request.variant;
    perhaps_end(id, "kernel_cases");
    KernelCasesReply reply;
    std::vector<double> values;
    for (const char* name : {"mild", "outlier"}) {
      KernelCase one;
      one.name = name;
      one.output_offset = values.size() * sizeof(float);
      one.output_bytes = kValues * sizeof(float);
      one.values_offset = values.size();
      one.values = kValues;
      for (std::size_t i = 0; i < kValues; ++i) values.push_back(static_cast<double>(i) - 3.5);
      one.guards_intact = property(id, "guard").is_null();
      one.repeatable = property(id, "repeats").is_null();
      one.launches = property(id, "falls_back_to").is_null() ? request.repeat : 0;
      reply.cases.push_back(one);
    }
    if (!id.empty()) {
      reply.counts = counted({{id, reply.cases.size() * request.repeat}});
    }
    const double budget = scenario_.value("case_budget", 1e-3);
    write(request.dir + "/budgets.f64", std::vector<double>(values.size(), budget));
    const nlohmann::json added = property(id, "case_value");
    if (added.is_number()) values[3] += added.get<double>();
    if (added == "nan") values[3] = std::numeric_limits<double>::quiet_NaN();
    write(request.dir + "/values.f64", values);
    std::vector<float> outputs(values.begin(), values.end());
    if (!property(id, "case_bits").is_null()) outputs[9] = std::nextafterf(outputs[9], 100);
    write(request.dir + "/outputs.bin", outputs);
    return reply;
  }

  template <typename T>
  static void write(const std::string& path, const std::vector<T>& data) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size() * sizeof(T)));
  }

  nlohmann::json scenario_;
  std::uint64_t launch_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t served_ = 0;
  ServiceSelection service_;
  std::vector<std::int32_t> cached_;
};

int serve(const char* path, const char* progress) {
  const int fd = open(progress, O_RDWR);
  if (fd < 0) return 4;
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) return 5;
  SimulatedWorker worker(path);
  std::string line;
  while (std::getline(std::cin, line)) {
    nlohmann::json reply;
    try {
      reply = worker.answer(nlohmann::json::parse(line));
    } catch (const Error& error) {
      reply = {{"error", {{"kind", error.exit_code()}, {"message", error.what()}}}};
    }
    __atomic_fetch_add(static_cast<std::uint64_t*>(page), 1, __ATOMIC_RELAXED);
    std::cout << reply.dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--progress") return 2;
  return assay::serve(argv[0], argv[2]);
}
