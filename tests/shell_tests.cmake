# The timed shell, from plain classes to the whole drive.
cavern_add_test(execution_time_test LABEL unit SOURCES unit/execution_time_test.cpp LIBS cavern_drive)
cavern_add_test(host_link_test LABEL unit SOURCES unit/host_link_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(flash_scheduler_test LABEL unit SOURCES unit/flash_scheduler_test.cpp SYSTEMC
                LIBS cavern_channel)
