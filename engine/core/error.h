// The one error type of the project.
//
// Expected outcomes (a mismatch, a hang, a crash of a worker) are values that get recorded; an
// Error ends a command only. Its kind decides the exit code, its message says what is wrong,
// where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

// The numeric value of a kind is the program's exit code.
enum class ErrorKind : int {
  kInternal = 1,        // a fault of ours, or anything else
  kUsage = 2,           // bad input: a flag, a file, a definition, a model
  kCheckFound = 3,      // `check` found something
  kRed = 10,            // a gate is red, or REVERT
  kStopped = 11,        // the two-attempt rule refuses
  kInconclusive = 12,   // stopped before a verdict
  kEnvironment = 13,    // the machine is not fit to measure
  kBaseline = 14,       // baseline, runner or device probe failed
  kNoOp = 15,           // the candidate's code is the baseline's
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

}  // namespace assay
