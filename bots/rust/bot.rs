// A bot for rails-cli: answers every request with a random legal action.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, Write};

/// The index in "legal" of the action to play. Replace the random choice with your own.
fn decide(request: &str) -> usize {
    let legal = parts(field(request, "legal").expect("a legal list"));
    random() % legal.len()
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        if field(&line, "type") == Some("\"request\"") {
            let number = field(&line, "number").expect("a number");
            let choice = decide(&line);
            println!(r#"{{"type":"action","number":{number},"choice":{choice}}}"#);
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// The standard library has no random numbers, but its hash maps start from one.
fn random() -> usize {
    RandomState::new().build_hasher().finish() as usize
}

// Nor does it have JSON, but a bot needs little of it: to take values apart.

/// The value of a field of an object, as JSON.
fn field<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let quoted = format!("\"{name}\"");
    parts(object)
        .chunks_exact(2)
        .find(|pair| pair[0] == quoted)
        .map(|pair| pair[1])
}

/// What an array or object holds, each part as JSON; an object holds name, value, name, value, and so on.
fn parts(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    let mut characters = value.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => loop {
                match characters.next() {
                    Some((_, '\\')) => drop(characters.next()),
                    Some((_, '"')) | None => break,
                    _ => {}
                }
            },
            '[' | '{' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            ']' | '}' | ',' | ':' => {
                if depth == 1 {
                    let part = value[start..at].trim();
                    if !part.is_empty() {
                        parts.push(part);
                    }
                    start = at + 1;
                }
                if c == ']' || c == '}' {
                    depth -= 1;
                }
            }
            _ => {}
        }
    }
    parts
}
