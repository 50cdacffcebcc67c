// A bot for rails-cli: answers every request with a random legal action.

use std::io::{self, BufRead, Write};

/// The index in "legal" of the action to play. Replace the random choice with your own.
fn decide(request: &str, luck: &mut u64) -> usize {
    let legal = parts(field(request, "legal").expect("a legal list"));
    random(luck) % legal.len()
}

fn main() -> io::Result<()> {
    let mut luck = 0;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if let Some(Ok(seed)) = field(&line, "seed").map(str::parse) {
            luck = seed;
        }
        if field(&line, "type") == Some("\"request\"") {
            let number = field(&line, "number").expect("a number");
            let choice = decide(&line, &mut luck);
            println!(r#"{{"type":"action","number":{number},"choice":{choice}}}"#);
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// The next random number, by the generator SplitMix64: the standard library has none.
fn random(luck: &mut u64) -> usize {
    *luck = luck.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *luck;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as usize
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
