#!/usr/bin/env bash
# brigade topology import: a cluster file, what was assumed on stderr, or words and nothing written.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

printf '4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n' >net.txt
call 0 topology import net.txt -o net.yaml
silent "$out"
has "$err" "net.txt: ns-3 text of nodes, switches and links"
has "$err" "assumed: each host is a GPU"
call 0 check net.yaml
has "$out" "ok: a cluster, 3 nodes: node[0-2].gpu[0], switch[0]"
call 0 topology net.yaml
has "$out" "3 nodes, 3 GPUs, 1 fabric switch, 3 cables"
printf 'brigade: 1\ncluster: {file: net.yaml}\njobs:\n  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB}\n' >a.yaml
call 0 run a.yaml --verify
has "$out" "verified"

call 0 topology import net.txt
has "$out" "brigade: 1"
has "$out" "# Imported from net.txt"
call 0 topology net.yaml --yaml -o again.yaml
call 0 check again.yaml
rm again.yaml

# Refused: exit 2, and no file.
printf '4 1 3\n3\n0 3 100Gbps 1us 0\n' >short.txt
call 2 topology import short.txt -o short.yaml
has "$err" "short.txt:4:1: error: the first line counts 3 links; the file holds 1"
head -c 1000 /dev/zero >zeros
call 2 topology import zeros -o zeros.yaml
has "$err" "of no kind that can be imported"
call 2 topology import missing.xml -o missing.yaml
has "$err" "no such file"
call 2 topology import net.txt --nodes 2 -o two.yaml
has "$err" "only a file of one node can be repeated"
call 2 topology import net.txt --nods 2
has "$err" "did you mean \"--nodes\"?"
call 2 topology
call 3 topology import net.txt -o no/such/folder.yaml
silent "$out"
files a.yaml net.txt net.yaml short.txt zeros
finish
