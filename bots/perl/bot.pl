# A bot for rails-cli: answers every request with a random legal action.

use strict;
use warnings;
use JSON::PP;

# The index in $request->{legal} of the action to play. Replace the random choice with your own.
sub decide {
    my ($request) = @_;
    return int rand @{ $request->{legal} };
}

$| = 1;    # write every line at once
while (my $line = <STDIN>) {
    my $message = decode_json $line;
    srand $message->{seed} if defined $message->{seed};
    next if $message->{type} ne "request";
    print encode_json({ type => "action", number => $message->{number}, choice => decide($message) }), "\n";
}
