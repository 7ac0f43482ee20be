# Runs an example from no database, and once more on what it left where AGAIN says so.

file(GLOB left "${DATABASE}*")
if(left)
  file(REMOVE ${left})
endif()
execute_process(COMMAND "${PROGRAM}" "${DATABASE}" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
if(AGAIN)
  execute_process(COMMAND "${PROGRAM}" "${DATABASE}" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
