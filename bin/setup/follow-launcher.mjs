// @ts-check
// Preloaded into a server that the launcher started. When the launcher is gone (kill -9), the channel closes and the server
// drains as after SIGTERM: nothing keeps the port while nobody can see it. Threads inherit this file and have no channel.
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
