# assay_write_manifest(WORKER): writes bin/<worker>.manifest.json whenever the worker is linked, and
# links it again when the program that writes the manifest changes. To be called in the folder of the
# worker, since only there can a step follow its link.
#   PROGRAM: writes it, when that is not assay-manifest. CUDA_KERNELS: libraries with further variants.
function(assay_write_manifest worker)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM" "CUDA_KERNELS")
  if(NOT arg_PROGRAM)
    set(arg_PROGRAM assay-manifest)
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
  set(options "$<JOIN:$<TARGET_PROPERTY:assay_options,INTERFACE_COMPILE_OPTIONS>, >")
  set(cuda "")
  if(ASSAY_CUDA)
    string(STRIP "${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_${type}}" cuda_flags)
    string(JOIN " " cuda_options ${ASSAY_CUDA_COMPILE_OPTIONS})
    string(JOIN "," cuda_architectures ${ASSAY_CUDA_ARCHITECTURES})
    set(cuda
      "--cuda-compiler=nvcc ${CMAKE_CUDA_COMPILER_VERSION}"
      "--cuda-flags=${CMAKE_BUILD_TYPE} ${cuda_flags} ${cuda_options} architectures ${cuda_architectures}"
      "--cuda-object=$<TARGET_FILE:assay_kernels_cuda>"
      "--cuda-object=$<TARGET_FILE:assay_core>")
    foreach(library ${arg_CUDA_KERNELS})
      list(APPEND cuda "--cuda-object=$<TARGET_FILE:${library}>")
    endforeach()
  endif()
  add_dependencies(${worker} ${arg_PROGRAM})
  set_property(TARGET ${worker} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:${arg_PROGRAM}>)
  add_custom_command(TARGET ${worker} POST_BUILD
    COMMAND ${arg_PROGRAM} --worker $<TARGET_FILE:${worker}> --root ${PROJECT_SOURCE_DIR}
      "--compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
      "--flags=${CMAKE_BUILD_TYPE} ${flags} ${options}" ${cuda}
      $<TARGET_FILE:assay_kernels_cpu> $<TARGET_FILE:assay_core>
    COMMENT "Writing the manifest of ${worker}"
    VERBATIM)
endfunction()
