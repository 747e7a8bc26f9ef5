# Functions that every folder's CMakeLists.txt uses, so that flags stand in one place.
#
#   assay_library(NAME SOURCES a.cpp b.cpp DEPENDS assay_core)
#   assay_program(NAME SOURCES main.cpp DEPENDS ...)
#   assay_tests(NAME SOURCES a_test.cpp DEPENDS ...)      one program, found test by test
#   assay_benchmarks(NAME SOURCES a_bench.cpp DEPENDS ...)
#   assay_fuzz_target(NAME SOURCES fuzz_a.cpp DEPENDS ...) corpus: fuzz_corpus/ beside the sources
#
# Numeric contract: contraction to FMA is off everywhere; instruction sets are chosen per file.

add_library(assay_options INTERFACE)
target_compile_features(assay_options INTERFACE cxx_std_20)
target_include_directories(assay_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(assay_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
# g++ 12 reports overlaps and overflows in std::string concatenation that cannot happen (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(assay_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(assay_options INTERFACE -fpch-preprocess)  # lets ccache see through them
endif()
target_compile_definitions(assay_options INTERFACE FMT_HEADER_ONLY)
if(ASSAY_WERROR)
  target_compile_options(assay_options INTERFACE -Werror)
endif()
if(ASSAY_SANITIZE)
  target_compile_options(assay_options INTERFACE
    -fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(assay_options INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()
if(ASSAY_FUZZ)
  target_compile_options(assay_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(assay_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The workbench (folders that set ASSAY_WORKBENCH) waits for processes and disks, never for its own
# arithmetic, so it is built for a short compile: -O1, and the headers that cost more to parse than
# most of our files cost to compile are parsed once. scripts/check_headers.py still compiles every
# header alone, so that nothing leans on them by accident.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
add_library(assay_precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(assay_precompiled PUBLIC assay_options)
target_compile_options(assay_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
target_precompile_headers(assay_precompiled PRIVATE
  <fmt/format.h> <nlohmann/json.hpp> <functional> <map> <optional> <string> <variant> <vector>)

function(assay_build_as_workbench name)
  if(ASSAY_WORKBENCH)
    target_precompile_headers(${name} REUSE_FROM assay_precompiled)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

function(assay_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC assay_options ${arg_DEPENDS})
  assay_build_as_workbench(${name})
endfunction()

function(assay_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${arg_DEPENDS})
  assay_build_as_workbench(${name})
endfunction()

function(assay_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;DEPENDS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${arg_DEPENDS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    ASSAY_SOURCE_ROOT="${PROJECT_SOURCE_DIR}" ASSAY_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  assay_build_as_workbench(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}."
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()

function(assay_benchmarks name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${arg_DEPENDS} benchmark::benchmark_main)
endfunction()

# A program around LLVMFuzzerTestOneInput: libFuzzer's where ASSAY_FUZZ is on (clang), else a driver of
# our own. Either way a test runs the committed corpus and a fixed number of inputs made from it; what
# libFuzzer finds on the way goes to the build tree. For a long run:
#   build/fuzz/bin/NAME -max_total_time=600 NEW_FOLDER engine/PART/fuzz_corpus
function(assay_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;DEPENDS")
  if(NOT arg_CORPUS)
    set(arg_CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz_corpus)
  endif()
  if(ASSAY_FUZZ)
    add_executable(${name} ${arg_SOURCES})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/engine/core/fuzz_driver.cpp)
  endif()
  target_link_libraries(${name} PRIVATE assay_options ${arg_DEPENDS})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}_found)
  file(MAKE_DIRECTORY ${found})
  add_test(NAME ${name} COMMAND ${name} -runs=20000 -seed=1 ${found} ${arg_CORPUS})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()
