"""Functions of tensors that are certified against eager PyTorch."""
