// Files in the folder of records that no experiment owns.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay {

std::string without_extension(const std::string& path);

// Records and documents in results/records that belong to none of `owned` (paths without their
// extension), in order. Not those made from a historical entry that has a fault.
std::vector<std::string> unowned_records(const std::string& workspace,
                                         const std::set<std::string>& owned);

// Whether it is a rendered record that says what it was made from, and that is gone.
bool is_orphan(const std::string& workspace, const std::string& path);

}  // namespace assay
