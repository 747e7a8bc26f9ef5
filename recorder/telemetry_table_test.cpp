// What the machine did: ranges and counters from stored samples; null is "not measured".
#include "recorder/telemetry_table.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::vector<PairSample>& samples) {
  std::string text;
  for (const auto& [what, value] : telemetry_rows(samples)) text += what + ": " + value + "\n";
  return text;
}

PairSample sample_with(Json telemetry) {
  PairSample sample;
  sample.labels = "ABBA";
  sample.telemetry = std::move(telemetry);
  return sample;
}

Json gpu(Json power, int celsius, Json throttled_ns) {
  return {{"sm_mhz", 1980},
          {"power_w", std::move(power)},
          {"temperature_c", celsius},
          {"throttled_power_ns", std::move(throttled_ns)},
          {"throttled_thermal_ns", nullptr}};
}

TEST(TelemetryTable, OfACpu) {
  EXPECT_EQ(text_of({sample_with({{"before", {{"load_average", 1.08}}},
                                  {"after", {{"load_average", 0.5}}},
                                  {"foreign", {{"cores", 0.25}, {"gpu_processes", nullptr}}}}),
                     sample_with({{"before", {{"load_average", nullptr}}},
                                  {"after", {{"load_average", 2}}},
                                  {"foreign", {{"cores", nullptr}, {"gpu_processes", nullptr}}}})}),
            "load average: 0.50 to 2.00\n"
            "foreign work, cores: 0.25\n");
}

TEST(TelemetryTable, OfAGpu) {
  const Json segments = {{"device_ns", {1000, 1000, 1000, 1000}},
                         {"cycles", {1900, 1800, 1800, 2000}},
                         {"gpu", {gpu(512.25, 60, 2'500'000), gpu(nullptr, 61, 2'500'000)}}};
  EXPECT_EQ(text_of({sample_with({{"before", {{"gpu", gpu(480, 52, 2'000'000)}}},
                                  {"after", {{"gpu", gpu(500, 55, 3'500'000)}}},
                                  {"foreign", {{"cores", nullptr}, {"gpu_processes", 1}}},
                                  {"segments", segments}})}),
            "foreign work, cores: not measured\n"
            "foreign processes on the GPU: 1\n"
            "SM clock, cycles over time: A 1950.0 MHz, B 1800.0 MHz\n"
            "SM clock, as the driver says: 1980 MHz\n"
            "power: 480.0 to 512.2 W\n"
            "temperature: 52 to 61 C\n"
            "throttled for power: 2.0 ms before, 3.5 ms after (+1.5 ms)\n"
            "throttled for heat: not measured\n");
}

TEST(TelemetryTable, OfAGpuWithoutATimerOfItsOwn) {
  EXPECT_EQ(text_of({sample_with({{"before", {{"gpu", {{"power_w", 1}}}}},
                                  {"segments", {{"device_ns", {0, 0}}, {"cycles", {0, 0}}}}})}),
            "SM clock, cycles over time: not measured\n"
            "power: 1.0 W\n");
}

TEST(TelemetryTable, OfAnOlderRecordHasNoRowForWhatWasNotAsked) {
  EXPECT_EQ(text_of({sample_with({{"load", 0.5}}), sample_with(nullptr)}), "");
}

}  // namespace
}  // namespace assay
