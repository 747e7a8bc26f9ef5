// The worker's answers, line by line, without a process around it.
#include "engine/worker/worker.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/core/sha256.h"
#include "engine/model/tiny_model.h"
#include "kernels/reference.h"
#include "kernels/registry.h"

namespace assay {
namespace {

using Json = nlohmann::json;

class WorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / ("assay_worker_" + std::to_string(::getpid())))
               .string();
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override {
    std::filesystem::remove_all(dir_);
    if (!model_.empty()) std::filesystem::remove(model_);
  }

  Json ask(const Json& request) { return Json::parse(worker_.answer(request.dump())); }

  // Loads the tiny model with portable kernels.
  Json load(const Json& change = Json::object()) {
    if (model_.empty()) model_ = write_tiny_model();
    Json request = LoadRequest{.model = model_,
                               .backend = "cpu",
                               .service = service_of_level(CpuLevel::kPortable),
                               .context = 64,
                               .threads = 2};
    request["request"] = "load";
    request.update(change);
    return ask(request);
  }

  std::vector<double> read_doubles(const std::string& name) {
    std::ifstream file(dir_ + "/" + name, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  std::string dir_;
  std::string model_;
  ProgressCounter progress_;
  Worker worker_{progress_};
};

Json error(int kind, const std::string& message) {
  return {{"error", {{"kind", kind}, {"message", message}}}};
}

TEST_F(WorkerTest, HelloSaysWhoAnswersAndWhatRunsHere) {
  const Json reply = ask({{"request", "hello"}});
  EXPECT_EQ(reply["reply"], "hello");
  EXPECT_EQ(reply["protocol"], 1);
  EXPECT_EQ(reply["program"], "assay-worker");
  EXPECT_EQ(reply["device_key"], std::string(device_key(cpu_level())));
  EXPECT_EQ(reply["source_root"], ASSAY_SOURCE_ROOT);
  EXPECT_GE(reply["cores"].get<int>(), 1);
  std::vector<std::string> expected;
  for (const RegisteredVariant& variant : cpu_registry()) {
    if (offers(cpu_level(), variant.info->needs)) expected.emplace_back(variant.info->id);
  }
  EXPECT_EQ(reply["variants"].get<std::vector<std::string>>(), expected);
}

TEST_F(WorkerTest, LoadDescribesTheModel) {
  const Json reply = load();
  EXPECT_EQ(reply["reply"], "load");
  const LoadReply loaded = reply.get<LoadReply>();
  EXPECT_EQ(loaded.name, "tiny");
  EXPECT_EQ(loaded.architecture, "qwen2");
  EXPECT_EQ(loaded.sha256, sha256_file(model_));
  EXPECT_EQ(loaded.layers, 2);
  EXPECT_EQ(loaded.embedding, 256);
  EXPECT_EQ(loaded.heads, 2);
  EXPECT_EQ(loaded.kv_heads, 1);
  EXPECT_EQ(loaded.head_dim, 128);
  EXPECT_EQ(loaded.feed_forward, 512);
  EXPECT_EQ(loaded.vocab, 300);
  EXPECT_EQ(loaded.context, 64);
  EXPECT_EQ(loaded.threads, 2);
  EXPECT_FALSE(loaded.has_vocabulary);
  EXPECT_EQ(loaded.bos, -1);
  EXPECT_EQ(loaded.kv_bytes, 2u * 2u * 2u * 64u * 128u);
  EXPECT_GT(loaded.weight_bytes, 300u * 210u);
}

TEST_F(WorkerTest, ContextZeroMeansTheModelsOwn) {
  EXPECT_EQ(load({{"context", 0}})["context"], 1024);
}

// A GPU's worker does not make the matrices on the host; all else is there.
TEST(SynthImage, OfVectorsHasTheSameHeadAndNorms) {
  const SynthModel model = parse_synth_name("synth:tiny-q4_k_m");
  const SynthImage whole(model, 1, [] {});
  const SynthImage vectors(
      model, 1, [] {}, SynthContent::kVectors);
  EXPECT_EQ(whole.identity(), vectors.identity());
  ASSERT_EQ(whole.bytes().size(), vectors.bytes().size());
  const SynthFile file = synth_file(model);
  EXPECT_TRUE(std::equal(file.head.begin(), file.head.end(),
                         reinterpret_cast<const char*>(vectors.bytes().data())));
  for (const SynthTensor& tensor : file.tensors) {
    SCOPED_TRACE(tensor.name);
    const std::size_t at = file.head.size() + tensor.offset;
    const auto part = vectors.bytes().subspan(at, tensor.bytes());
    const bool same = std::ranges::equal(part, whole.bytes().subspan(at, tensor.bytes()));
    const bool zero = std::ranges::all_of(part, [](std::byte b) { return b == std::byte{0}; });
    EXPECT_EQ(same, tensor.kind != SynthKind::kCodes);
    EXPECT_EQ(zero, tensor.kind == SynthKind::kCodes);
  }
}

TEST_F(WorkerTest, ASyntheticModelIsMadeAndWorks) {
  const std::string name = "synth:tiny-q4_k_m";
  const std::uint64_t before = progress_.counter().load();
  const LoadReply loaded = load({{"model", name + "@1"}}).get<LoadReply>();
  EXPECT_GT(progress_.counter().load(), before + 40);  // at least one a tensor
  EXPECT_EQ(loaded.name, name);
  EXPECT_EQ(loaded.sha256, SynthImage(parse_synth_name(name), 1, [] {}).identity());
  EXPECT_EQ(loaded.vocab, 2000);
  EXPECT_FALSE(loaded.has_vocabulary);
  const Json work = ask({{"request", "work"}, {"phase", "decode"}, {"prompt", {7}}, {"steps", 3}});
  EXPECT_EQ(work["reply"], "work");
  EXPECT_EQ(work["tokens"].size(), 3u);
}

TEST_F(WorkerTest, ASyntheticModelOfNoKnownNameIsRefused) {
  EXPECT_EQ(
      load({{"model", "synth:tiny-q5_0"}}),
      error(2,
            "synth:tiny-q5_0: no synthetic model has quant `q5_0`: write SHAPE-QUANT; shapes: "
            "tiny, qwen2.5-1.5b, qwen2.5-7b, qwen2.5-14b, llama-3-8b; quants: q4_k_m, q8_0, "
            "f16; an example: synth:tiny-q8_0"));
}

TEST_F(WorkerTest, WorkLaunchesWhatPlanSays) {
  load();
  Json request = {{"request", "work"}, {"phase", "prefill"}, {"prompt", {1, 2, 3, 4, 5}},
                  {"steps", 6},        {"chunk", 2},         {"all_rows", true}};
  const Json work = ask(request);
  request["request"] = "plan";
  const Json plan = ask(request);
  EXPECT_EQ(work["reply"], "work");
  EXPECT_EQ(plan["reply"], "plan");
  EXPECT_EQ(work["prefill_counts"], plan["prefill_counts"]);
  EXPECT_EQ(work["decode_counts"], plan["decode_counts"]);
  // Three chunks, two layers, one q4_K gate and so on: 5 q4_K matmuls in layer 0 of each chunk.
  EXPECT_EQ(plan["prefill_counts"]["rope.cpu.portable"], 3 * 2 * 2);
  EXPECT_EQ(plan["decode_counts"]["argmax.cpu.portable"], 6);
  EXPECT_EQ(work["top"].size(), 11u);
}

TEST_F(WorkerTest, WorkDrawsWhereItIsAskedTo) {
  load();
  Json request = {
      {"request", "work"}, {"prompt", {7, 8}}, {"steps", 9}, {"temperature", 100}, {"seed", 5}};
  const Json drawn = ask(request);
  EXPECT_EQ(drawn["picks"].size(), 10u);
  EXPECT_NE(drawn["picks"], drawn["top"]);
  request["top_k"] = 1;
  const Json greedy = ask(request);
  EXPECT_EQ(greedy["picks"], greedy["top"]);
  request["top_p"] = 1.5;
  EXPECT_EQ(ask(request), error(2, "work: top_p is 1.5; expected above 0, at most 1"));
}

// The embedded model adds no start token, and ends at two.
TEST_F(WorkerTest, TokenizeEnclosesAndLoadNamesTheEnds) {
  const Json reply = load({{"model", "embedded"}});
  EXPECT_EQ(reply["ends"], Json({4093, 4095}));
  EXPECT_EQ(ask({{"request", "tokenize"},
                 {"text", "a<|im_end|>"},
                 {"special", true},
                 {"enclose", true}})["tokens"],
            Json({64, 4095}));
}

TEST_F(WorkerTest, AnErrorChangesNothing) {
  load();
  const Json request = {{"request", "work"}, {"prompt", {7, 8}}, {"steps", 3}};
  const Json before = ask(request);
  EXPECT_EQ(ask({{"request", "work"}, {"prompt", {300}}}),
            error(2, "work: prompt[0] is 300; tokens of this model are 0..299"));
  const Json after = ask(request);
  EXPECT_EQ(after["digest"], before["digest"]);
  EXPECT_EQ(after["prefill_reused"], true);
}

TEST_F(WorkerTest, AFailedLoadLeavesNoModel) {
  load();
  EXPECT_EQ(load({{"context", 1025}}),
            error(2,
                  "load: context is 1025; this model has 1..1024 positions (0: its own, at most "
                  "4096)"));
  EXPECT_EQ(ask({{"request", "work"}, {"prompt", {1}}}),
            error(2, "work: no model is loaded; send `load` first"));
  EXPECT_EQ(load()["reply"], "load");
}

TEST_F(WorkerTest, AModelWithoutVocabularyTakesTokensOnly) {
  load();
  EXPECT_EQ(ask({{"request", "tokenize"}, {"text", "a"}}),
            error(2, "tokenize: this model has no vocabulary; give tokens instead"));
  EXPECT_EQ(ask({{"request", "detokenize"}, {"tokens", {1}}}),
            error(2, "detokenize: this model has no vocabulary"));
}

struct Malformed {
  std::string line;
  const char* message;
};

std::vector<Malformed> malformed() {
  return {
      {"", "request: not JSON at byte 1; a request is one object on one line"},
      {"{", "request: not JSON at byte 2; a request is one object on one line"},
      {"{\"request\": \"hello\"} {}",
       "request: not JSON at byte 22; a request is one object on one line"},
      {"\xff\xfe", "request: not JSON at byte 1; a request is one object on one line"},
      {"{\"request\": \"tokenize\", \"text\": " + std::string(1 << 20, '[') + "}",
       "request: nested deeper than 16; no request has such values"},
      {"{\"request\": \"work\", \"top_p\": 1e999}", "request: a number in it is too large"},
      {"{\"request\": \"work\", \"temperature\": \"hot\"}",
       "work.temperature: expected a number, found \"hot\""},
      {"[]", "request: not a JSON object"},
      {"17", "request: not a JSON object"},
      {"{}",
       "request: no field 'request'; known: hello, load, tokenize, detokenize, work, plan, "
       "profile, kernel_cases, resources, health"},
      {"{\"request\": 5}", "request: the field 'request' is not a string"},
      {"{\"request\": \"shutdown\"}",
       "request: 'shutdown' is not known; known: hello, load, tokenize, detokenize, work, plan, "
       "profile, kernel_cases, resources, health"},
      {"{\"request\": \"hello\", \"x\": 1}", "hello: no field is called 'x'"},
      {"{\"request\": \"hello\", \"a\\n" + std::string(60, 'b') + "\": 1}",
       "hello: no field is called 'a\\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...'"},
      {"{\"request\": \"work\", \"prompts\": [1]}", "work: no field is called 'prompts'"},
      {"{\"request\": \"work\", \"prompt\": 1}",
       "work.prompt: expected an array of integers, found 1"},
      {"{\"request\": \"work\", \"prompt\": [1, \"2\"]}",
       "work.prompt[1]: expected an integer of 32 bits, found \"2\""},
      {"{\"request\": \"work\", \"prompt\": [1.5]}",
       "work.prompt[0]: expected an integer of 32 bits, found 1.5"},
      {"{\"request\": \"work\", \"prompt\": [4294967296]}",
       "work.prompt[0]: expected an integer of 32 bits, found 4294967296"},
      {"{\"request\": \"work\", \"steps\": true}",
       "work.steps: expected an integer of 32 bits, found true"},
      {"{\"request\": \"work\", \"steps\": null}",
       "work.steps: expected an integer of 32 bits, found null"},
      {"{\"request\": \"work\", \"all_rows\": 1}",
       "work.all_rows: expected true or false, found 1"},
      {"{\"request\": \"work\", \"phase\": {}}", "work.phase: expected a string, found {}"},
      {"{\"request\": \"work\", \"prompt\": [1]}", "work: no model is loaded; send `load` first"},
      {"{\"request\": \"plan\", \"prompt\": [1]}", "plan: no model is loaded; send `load` first"},
      {"{\"request\": \"profile\", \"prompt\": [1]}",
       "profile: no model is loaded; send `load` first"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"profile\": true}",
       "load: profile traces the kernels of a GPU, and backend is 'cpu'; give backend 'cuda'"},
      {"{\"request\": \"tokenize\", \"text\": \"a\"}",
       "tokenize: no model is loaded; send `load` first"},
      {"{\"request\": \"detokenize\", \"tokens\": []}",
       "detokenize: no model is loaded; send `load` first"},
      {"{\"request\": \"load\"}",
       "load: model is missing; name a GGUF file, 'embedded', or 'synth:SHAPE-QUANT'"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"backend\": \"gpu\"}",
       "load: backend 'gpu' is not known; known: cpu, cuda"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"threads\": -1}",
       "load: threads is -1; expected 0 (one per core) or 1..256"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"service\": []}",
       "load.service: expected an object of ops, found []"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"service\": {\"rope\": 1}}",
       "load.service.rope: expected an array of rows, found 1"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"service\": {\"rope\": [{\"low\": 1}]}}",
       "load.service.rope[0]: expected a field 'variant', found {\"low\":1}"},
      {"{\"request\": \"load\", \"model\": \"embedded\", \"service\": {\"rope\": "
       "[{\"variant\": \"rope.cpu.portable\", \"lo\": 1}]}}",
       "load.service.rope[0]: no field is called 'lo'"},
      {"{\"request\": \"load\", \"model\": \"embedded\"}",
       "service map: the model needs embed, for which the map has no row"},
      {"{\"request\": \"kernel_cases\", \"op\": \"rope\"}",
       "kernel_cases: dir, the folder for the arrays, is empty"},
      {"{\"request\": \"kernel_cases\", \"op\": \"rope\", \"dir\": \"/tmp\", \"repeat\": 0}",
       "kernel_cases: repeat is 0; expected 1..10000"},
      {"{\"request\": \"kernel_cases\", \"op\": \"warp\", \"dir\": \"/tmp\"}",
       "kernel_cases: no op is called 'warp'"},
      {"{\"request\": \"kernel_cases\", \"op\": \"rope\", \"dir\": \"/tmp\", \"variant\": \"x\"}",
       "kernel_cases: no variant is called 'x'; `assay levers` lists them"},
      {"{\"request\": \"kernel_cases\", \"op\": \"rope\", \"dir\": \"/nowhere\", \"variant\": "
       "\"rope.cpu.portable\"}",
       "cannot create /nowhere/outputs.bin: No such file or directory"},
      {"{\"request\": \"resources\"}",
       "resources: '' is no variant of a GPU; `assay levers` lists them"},
      {"{\"request\": \"resources\", \"variant\": \"rope.cpu.portable\"}",
       "resources: 'rope.cpu.portable' is no variant of a GPU; `assay levers` lists them"},
  };
}

TEST_F(WorkerTest, MalformedRequestsGetOneClearErrorEachAndTheWorkerGoesOn) {
  for (const Malformed& one : malformed()) {
    SCOPED_TRACE(one.line);
    EXPECT_EQ(Json::parse(worker_.answer(one.line)), error(2, one.message));
  }
  EXPECT_EQ(ask({{"request", "health"}})["served"], malformed().size() + 1);
}

TEST_F(WorkerTest, AFileThatIsNoModelIsRefused) {
  const Json reply = load({{"model", "/nowhere/model.gguf"}});
  EXPECT_EQ(reply["error"]["kind"], 2);
  EXPECT_NE(reply["error"]["message"].get<std::string>().find("/nowhere/model.gguf"),
            std::string::npos);
}

TEST_F(WorkerTest, HealthCountsAnswersAndMemory) {
  ask({{"request", "hello"}});
  const HealthReply reply = ask({{"request", "health"}}).get<HealthReply>();
  EXPECT_EQ(reply.served, 2u);
  EXPECT_GT(reply.rss_bytes, 1u << 20);
}

TEST_F(WorkerTest, KernelCasesOfAVariantLieWithinTheBudgetsOfTheReference) {
  const KernelCasesReply run = ask({{"request", "kernel_cases"},
                                    {"op", "rope"},
                                    {"variant", "rope.cpu.portable"},
                                    {"dir", dir_},
                                    {"repeat", 3}})
                                   .get<KernelCasesReply>();
  const std::vector<double> values = read_doubles("values.f64");
  const KernelCasesReply reference =
      ask({{"request", "kernel_cases"}, {"op", "rope"}, {"dir", dir_}}).get<KernelCasesReply>();
  const std::vector<double> expected = read_doubles("values.f64");
  const std::vector<double> budgets = read_doubles("budgets.f64");
  const std::size_t cases = find_reference("rope")->cases().size();
  ASSERT_EQ(run.cases.size(), cases);
  ASSERT_EQ(reference.cases.size(), cases);
  EXPECT_EQ(run.counts, (Counts{{"rope.cpu.portable", 3 * cases}}));
  EXPECT_TRUE(reference.counts.empty());
  ASSERT_EQ(values.size(), expected.size());
  ASSERT_EQ(budgets.size(), expected.size());
  EXPECT_LE(worst_error_ratio(values, expected, budgets), 1.0);
  for (std::size_t i = 0; i < cases; ++i) {
    EXPECT_EQ(run.cases[i].name, reference.cases[i].name);
    EXPECT_EQ(run.cases[i].values_offset, reference.cases[i].values_offset);
    EXPECT_EQ(run.cases[i].values, reference.cases[i].values);
    EXPECT_EQ(run.cases[i].launches, 3u);
    EXPECT_TRUE(run.cases[i].guards_intact);
    EXPECT_TRUE(run.cases[i].repeatable);
  }
}

TEST_F(WorkerTest, RawOutputsLieWhereTheReplySays) {
  const KernelCasesReply run = ask({{"request", "kernel_cases"},
                                    {"op", "add"},
                                    {"variant", "add.cpu.portable"},
                                    {"dir", dir_}})
                                   .get<KernelCasesReply>();
  std::ifstream file(dir_ + "/outputs.bin", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const std::vector<double> values = read_doubles("values.f64");
  std::uint64_t end = 0;
  for (const KernelCase& one : run.cases) {
    EXPECT_EQ(one.output_offset, end) << one.name;
    end += one.output_bytes;
    ASSERT_LE(end, bytes.size());
    float first = 0;
    std::memcpy(&first, bytes.data() + one.output_offset, sizeof first);
    EXPECT_EQ(static_cast<double>(first), values[one.values_offset]) << one.name;
  }
  EXPECT_EQ(end, bytes.size());
}

TEST_F(WorkerTest, EveryKernelCaseIsProgress) {
  const std::uint64_t before = progress_.counter().load();
  const KernelCasesReply run = ask({{"request", "kernel_cases"},
                                    {"op", "add"},
                                    {"variant", "add.cpu.portable"},
                                    {"dir", dir_}})
                                   .get<KernelCasesReply>();
  EXPECT_GE(progress_.counter().load() - before, run.cases.size());
}

}  // namespace
}  // namespace assay
