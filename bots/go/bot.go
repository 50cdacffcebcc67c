// A bot for rails-cli: answers every request with a random legal action.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

// Message holds what this bot looks at; there is more in it to be clever with.
type Message struct {
	Type   string
	Number int
	Seed   int64
	Legal  []json.RawMessage
}

var random = rand.New(rand.NewSource(1))

// decide returns the index in request.Legal of the action to play. Replace the random choice with your own.
func decide(request Message) int {
	return random.Intn(len(request.Legal))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 2<<20) // a line may be 1 MiB long
	for lines.Scan() {
		var message Message
		err := json.Unmarshal(lines.Bytes(), &message)
		if err == nil && message.Type == "start" {
			random = rand.New(rand.NewSource(message.Seed))
		}
		if err == nil && message.Type == "request" {
			fmt.Printf(`{"type":"action","number":%d,"choice":%d}`+"\n", message.Number, decide(message))
		}
	}
}
