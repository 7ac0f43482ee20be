# Filled in when the engine has something to install.
