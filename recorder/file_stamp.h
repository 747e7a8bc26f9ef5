// What the database remembers of a file, from what the file system says of it.
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "recorder/store.h"

namespace assay {

inline Store::FileStamp stamp_of(const struct stat& status) {
  return {status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace assay
