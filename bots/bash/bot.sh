# A bot for rails-cli: answers every request with a random legal action.

# From each request take what is needed to decide; here the number of the request and of its legal actions.
jq --raw-output --unbuffered 'select(.type == "request") | "\(.number) \(.legal | length)"' |
while read -r number actions; do
  # The index in "legal" of the action to play. Replace the random choice with your own.
  choice=$((RANDOM % actions))
  echo "{\"type\":\"action\",\"number\":$number,\"choice\":$choice}"
done
