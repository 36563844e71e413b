set(LLAMA_BUILD_COMMON OFF) # the HTTP client, the chat parsers: half of the compile, none of it used
