# Installs the built tree into an empty prefix, then builds and runs the consumer against it alone.

set(prefix "${BUILD_DIR}/consumer/prefix")
set(build "${BUILD_DIR}/consumer/build")
file(REMOVE_RECURSE "${prefix}" "${build}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -G Ninja -S "${CONSUMER_DIR}" -B "${build}"
    "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${build}")
run("${build}/consumer" "${build}/consumer.db")
run("${build}/one_process" "${build}/one_process.db")
