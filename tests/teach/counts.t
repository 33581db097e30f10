#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Counts that a grader relies on: kernels that hide a load or a store get no points, whatever the lint says;
# kernels that use all of the language get theirs; a goal for which nothing was counted is not reached.
use lib 'tests/lib';
use Tests qw(exercises);
use Check;
use Exercises;
use Facts;
use Sandbox qw(run_job);

needs_solutions('g++');
my $scratch = tempdir(CLEANUP => 1);
my $e = find_exercise('3.4');
my ($front, undef, $back) = parts($e->{start});
my ($solution) = (parts(slurp("$e->{folder}/solution.cu")))[1];
@ENV{qw(GRADE_TWICE GRADE_ANY_LANGUAGE GRADE_SEED)} = (1, 1, 7);
sub verdict_on { my ($region) = @_; return check_text($e, $front . $region . $back, "$scratch/check") }
sub with { my ($head, $to) = @_; return $head . $solution =~ s/out\[i\] = (.*);/{ $to }/r }

my $hidden = '__attribute__((noinline, no_sanitize("thread"))) __device__ static ';
my $v = verdict_on(with("$hidden void put(float *p, float x) { *p = x; }\n", 'put(out + i, x[i] * x[i] + y[i] * y[i]);'));
is($v->{reason}, 'unseen', 'hidden stores') or diag($v->{text});
like($v->{text}, qr/a kernel has changed \d+ bytes of device memory, and no store was seen/, 'what was seen of them');
is($v->{points}, 0, 'and their points');
$v = verdict_on(with("$hidden float get(const float *p) { return *p; }\n", 'float a = x[i / 2 * 2], b = y[i / 2 * 2]; out[i] = get(x + i) * get(x + i) + get(y + i) * get(y + i) + 0 * (a + b);'));
is("$v->{reason} $v->{points}", 'unseen 0', 'hidden loads, and others in their place') or diag($v->{text});
like($v->{text}, qr/where memory is wrong unless an access is seen, the result is, too/, 'what was seen of them');

delete $ENV{GRADE_ANY_LANGUAGE};
$v = verdict_on(with(<<'END', 'float whole; pair p = pair_of(x[i], y[i]); if (i < 8) memcpy(&kept[i], &p.a, sizeof(float)); out[i] = 0; atomicAdd(&out[i], p.a * p.a); modff(p.b, &whole); *(volatile float *)&out[i] += whole * whole;'));
struct pair { float a, b; char tag; };
__device__ float kept[8];
__device__ __noinline__ pair pair_of(float a, float b) { return pair{a, b, 'p'}; }
END
ok(($v->{reason} // 'goal') eq 'goal' && !$v->{suspicious}, 'structs, atomics, volatile, modff, memcpy, variables: all is seen') or diag("$v->{reason}: $v->{text}");

my ($goal) = facts("goal\tturns\tturns ld\t4\t1\n", { global => [], shared => [] });
ok($goal->{way} == 0 && !$goal->{ok}, 'a goal for which nothing was counted is not reached');
is(fact_text({ %$goal, label => '# turns' }), 'no turns; 1 is possible', 'and how that reads');

# ---- Reports come by an inherited socket, after its seal (what stands there besides: box.t) -----------
my $reports = run_job(command => ['sh', '-c', 's=$(head -c 32 <&5); echo mine >access.csv; printf "%saccess.csv 6\nright\n" $s >&5; printf "%serrors.csv 3\nno\n" $s >&5'], reports => ['access.csv', 'errors.csv']);
is_deeply($reports->{files}, { 'access.csv' => "right\n", 'errors.csv' => "no\n" }, 'a file that a submission writes is not read');
done_testing();
