# The Python that has the packages of requirements/build.txt: some of them carry sources for the build. The
# front door makes it; CAVERN_PYTHON names another.
set(CAVERN_PYTHON "" CACHE FILEPATH "Python with the packages of requirements/build.txt (default: .venv of the tree)")
# Other packages may lie elsewhere.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS requirements/build.txt)

# cavern_find_python_data(variable MODULE EXPRESSION): what EXPRESSION yields after `import MODULE`.
function(cavern_find_python_data variable module expression)
  set(python ${CAVERN_PYTHON})
  if(NOT python)
    set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  execute_process(
    COMMAND ${python} -c "import ${module}; print(${expression})"
    OUTPUT_VARIABLE value OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${python} has no module ${module}; make the environment with: python3 -m venv .venv && "
                        ".venv/bin/pip install -r requirements/build.txt, or name another Python: -DCAVERN_PYTHON=...")
  endif()
  set(${variable} ${value} PARENT_SCOPE)
endfunction()
