# cmake -D FOLDER=... -D PREFIX=... -P one_unit.cmake: FOLDER/all.cpp includes every source Verilator
# wrote there, so that its large headers are read once.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/${PREFIX}*.cpp)
list(SORT sources)
set(text "")
foreach(source ${sources})
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${FOLDER}/all.cpp "${text}")
