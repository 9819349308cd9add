# cmake -D FOLDER=... -D PREFIX=... -P one_unit.cmake: FOLDER/all.cpp includes every source Verilator
# wrote there, so that its large headers are read once. Each model has a function of the same name; models that
# share a unit need it to be their own.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/${PREFIX}*.cpp)
list(SORT sources)
set(text "#define trace_init ${PREFIX}_trace_init\n")
foreach(source ${sources})
  string(APPEND text "#include \"${source}\"\n")
endforeach()
string(APPEND text "#undef trace_init\n")
file(WRITE ${FOLDER}/all.cpp "${text}")
