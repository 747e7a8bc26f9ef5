# The CUDA side: built where ASSAY_CUDA is on, with nvcc.
#
#   assay_cuda_library(NAME SOURCES a.cu DEPENDS assay_core)
#
# Architectures: ASSAY_CUDA_ARCHITECTURES, 90 by default; preset cuda-portable has more. No contraction
# to FMA (kernels say where they want one), uncompressed fat binaries (code hashes read the cubins), a
# section per function.
option(ASSAY_CUDA "Build the CUDA backend; needs nvcc" OFF)
set(ASSAY_CUDA_ARCHITECTURES "90-real" CACHE STRING "CUDA architectures of portable kernels")
if(ASSAY_CUDA)
  if(ASSAY_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${ASSAY_CCACHE})
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  set(CMAKE_CUDA_ARCHITECTURES ${ASSAY_CUDA_ARCHITECTURES})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

add_library(assay_cuda_options INTERFACE)
target_include_directories(assay_cuda_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(assay_cuda_options INTERFACE FMT_HEADER_ONLY)
set(ASSAY_CUDA_COMPILE_OPTIONS
  -std=c++20 -fmad=false -no-compress --expt-relaxed-constexpr
  -Xcompiler=-Wall,-Wextra,-ffp-contract=off,-ffunction-sections,-fdata-sections
  -diag-suppress=20012,128)
target_compile_options(assay_cuda_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:${ASSAY_CUDA_COMPILE_OPTIONS}>")

function(assay_cuda_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_library(${name} STATIC ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${ASSAY_CUDA_ARCHITECTURES}")
  target_link_libraries(${name} PUBLIC assay_cuda_options ${arg_DEPENDS})
endfunction()
