#!/bin/sh
# A tmux status line: what runs now, and what today cost. In ~/.tmux.conf:
#   set -g status-interval 5
#   set -g status-right '#(RUNWIRE_READ_TOKEN=… /path/to/tmux-status.sh)'
server=${RUNWIRE_SERVER:-http://127.0.0.1:7717}
ask() { curl -sf -m 2 -H "Authorization: Bearer $RUNWIRE_READ_TOKEN" "$server$1"; }

live=$(ask '/api/runs?status=running&limit=500' | jq -r '.runs | length') || { echo 'runwire: away'; exit 0; }
last=$(ask '/api/runs?limit=1' | jq -r '.runs[0] | if . == null then "no runs" else "\(.agent // "agent") \(.class // .status)" end')
cost=$(ask '/api/stats?by=all&since=24h' | jq -r '.rows[0].cost // 0 | . * 100 | round / 100')
echo "$live live · last: $last · \$$cost today"
