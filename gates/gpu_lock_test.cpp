// Two measurements on one GPU exclude each other, wherever they run from.
#include "gates/gpu_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gates/scratch_folder.h"

namespace assay {
namespace {

HelloReply gpu(const std::string& uuid) {
  HelloReply device;
  device.device_key = "cuda-sm90";
  device.gpu_uuid = uuid;
  return device;
}

TEST(GpuLock, ASecondMeasurementIsToldWhoHasTheFirst) {
  const ScratchFolder folder;
  const auto first = lock_gpu(gpu("GPU-1"), folder.path());
  try {
    lock_gpu(gpu("GPU-1"), folder.path());
    FAIL() << "both measure";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_EQ(std::string(error.what()), folder.path() + "/assay-GPU-1.lock: process " +
                                             std::to_string(::getpid()) +
                                             " is measuring on this GPU; wait for it or end it");
  }
}

TEST(GpuLock, OtherGpusAndLaterMeasurementsGoOn) {
  const ScratchFolder folder;
  {
    const auto first = lock_gpu(gpu("GPU-1"), folder.path());
    EXPECT_NE(lock_gpu(gpu("GPU-2"), folder.path()), nullptr);
  }
  EXPECT_NE(lock_gpu(gpu("GPU-1"), folder.path()), nullptr);
}

TEST(GpuLock, ACpuHasNone) {
  HelloReply device;
  device.device_key = "cpu-avx2";
  EXPECT_EQ(lock_gpu(device, "/no such folder"), nullptr);
}

}  // namespace
}  // namespace assay
