"""What a person is asked: the question in words, the choices, what each would do, and why others are not allowed."""
