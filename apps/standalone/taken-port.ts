/** For a failed listen: tells the person how to choose another port, then lets the error go on. */
export function explainTakenPort(variable: 'PORT' | 'OPS_PORT'): (error: unknown) => never {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
      const port = Number(error.port);
      process.stderr.write(
        `turnpike: port ${port} is in use by another program. Stop that one (lsof -i :${port} names it), ` +
          `or choose another port: ${variable}=${port + 100} npm start\n`,
      );
    }
    throw error;
  };
}
