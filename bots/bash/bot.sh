# A bot for rails-cli: answers every request with a random legal action.

# From each request take what is needed to decide; here the number of the request and of its legal actions. From the
# start of a match take the seed for random numbers.
jq --raw-output --unbuffered 'if .type == "request" then "\(.number) \(.legal | length)"
  elif .type == "start" then "seed \(.seed)" else empty end' |
while read -r number actions; do
  if [ "$number" = seed ]; then
    RANDOM=$actions
    continue
  fi
  # The index in "legal" of the action to play. Replace the random choice with your own.
  choice=$((RANDOM % actions))
  echo "{\"type\":\"action\",\"number\":$number,\"choice\":$choice}"
done
